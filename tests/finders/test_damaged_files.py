"""Indexes from damaged files: an error of our own or the right answer, never a crash (see `benchmarks/damage.py`)."""

import damage


def test_no_damage_crashes_hangs_or_misleads(tmp_path):
    """Every algorithm, in a child process; forged files, whose checksums fit the damage, may at most answer wrongly."""
    cases = list(damage.CASES)
    jobs = damage.list_jobs(cases, ["flip"], 100, 0, forged=False)
    jobs += damage.list_jobs(cases, ["block", "bytes"], 20, 0, forged=False)
    jobs += damage.list_jobs(cases, ["flip", "word", "shuffle"], 60, 0, forged=True)
    results = damage.Attack(tmp_path, cases, brief=True).run(jobs)
    assert len(results) == len(jobs)
    assert [result for result in results if damage.is_fault(result)] == []
    refused = [result for result in results if result.outcome == "own error"]
    assert all("the index is damaged" in result.note for result in refused)
    assert {result.job.case for result in refused} == set(cases)
