"""What the scripts of this folder share: arguments, maps, tables, and the run that figures come from."""

import argparse
import shlex
import sys
from pathlib import Path

import waygrid as wg
from waygrid.folders import maps_home
from waygrid.measure.machine import describe_run
from waygrid.measure.timing import Queries, time_queries

ROOT = Path(__file__).resolve().parent.parent


def make_parser(text, *, maps=True):
    """Return a parser of arguments with the script's own words; maps: with --maps, the folder of MovingAI sets."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    if maps:
        default = maps_home() if maps_home().is_dir() else ROOT.parent / "shared" / "maps"
        parser.add_argument("--maps", type=Path, default=default, help="folder of the sets dao, bgmaps ...")
    return parser


def begin_run(parser):
    """Return the arguments, and print the command, the date and the machine: figures are published with them."""
    arguments = parser.parse_args()
    words = " ".join(map(shlex.quote, sys.argv[1:]))
    facts = describe_run(f"python benchmarks/{Path(sys.argv[0]).name} {words}".strip())
    print("; ".join(f"{name} {value}" for name, value in facts.items()), end="\n\n", flush=True)
    return arguments


def split_words(text):
    """Return words that are divided by commas."""
    return text.split(",")


def split_numbers(text):
    """Return whole numbers that are divided by commas."""
    return [int(number) for number in text.split(",")]


def load_map(maps, name, **rules):
    """Return a map of a set, such as dao/arena2, and its scenario."""
    file = maps / f"{name}.map"
    return wg.Grid.from_file(file, **rules), wg.Scenario.from_file(f"{file}.scen")


def time_finders(finders, starts, goals, rounds):
    """Time finders in turns on one thread, as `waygrid.measure.timing` does; return their times and answers by name."""
    return time_queries(finders, [Queries(starts, goals)], rounds)


def print_row(*cells):
    """Print a row of a Markdown table."""
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def print_heading(*cells):
    """Print the heading of a Markdown table."""
    print_row(*cells)
    print_row(*("---" for _ in cells))
