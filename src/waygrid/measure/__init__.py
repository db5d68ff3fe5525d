"""Measuring: scenarios, problems, timing, checking; used by bench, advisor, papers and studio alike."""
