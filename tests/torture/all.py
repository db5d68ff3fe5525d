"""All programs of this folder, one after the other: `make torture MINUTES=n`, or

    python tests/torture/all.py [--minutes 10] [--workers 1] [--out FOLDER]

Each gets so many minutes, and resumes where its last run stopped. The exit code is 1 if one of them found a fault.
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def list_programs():
    """Return the programs of this folder: the files that call `frame.main`, but for this one."""
    files = sorted(file for file in HERE.glob("*.py") if file.name not in ("all.py", "frame.py"))
    return [file for file in files if "frame.main(" in file.read_text(encoding="utf-8")]


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", default="10")
    parser.add_argument("--workers")
    parser.add_argument("--out")
    chosen = parser.parse_args(words)
    more = [word for name in ("workers", "out") if (value := getattr(chosen, name)) for word in (f"--{name}", value)]
    codes = {}
    for program in list_programs():
        print(f"--- {program.name}", flush=True)
        codes[program.name] = subprocess.run(
            [sys.executable, program, "--minutes", chosen.minutes, *more], check=False
        ).returncode
    bad = [name for name, code in codes.items() if code]
    print(f"{len(codes)} programs; " + (f"faults: {', '.join(bad)}" if bad else "no faults"))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
