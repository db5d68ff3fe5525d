"""The Typer application. Commands import the library when they run, so that help appears at once."""

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from waygrid.cli.advise import advise
from waygrid.cli.algorithms import algorithms
from waygrid.cli.bench import bench
from waygrid.cli.build import build
from waygrid.cli.codes import list_codes
from waygrid.cli.convert import convert
from waygrid.cli.corridor import corridor
from waygrid.cli.crowd import crowd
from waygrid.cli.find import find
from waygrid.cli.generate import generate
from waygrid.cli.inflate import inflate
from waygrid.cli.info import info
from waygrid.cli.maps import maps
from waygrid.cli.reproduce import reproduce
from waygrid.cli.studio import studio
from waygrid.cli.warmup import warmup

_HELP = f"""Find paths on grid maps, compare the algorithms that do, and reproduce the papers they come from.

A cell is X,Y: x to the right, y down, both from 0.
Exit codes: {list_codes()}.
"""


class JsonFlagCommand(TyperCommand):
    """A command that prints JSON with `--json`; `--json -`, as in commands that write files, means the same."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Drop the - after --json."""
        kept = [word for place, word in enumerate(args) if word != "-" or place == 0 or args[place - 1] != "--json"]
        return super().parse_args(ctx, kept)


def make_app() -> typer.Typer:
    """Build the application; help is plain text unless it goes to a terminal."""
    app = typer.Typer(
        name="waygrid",
        rich_markup_mode="rich" if sys.stdout.isatty() else None,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True, help=_HELP)(_root)
    for printing in (find, algorithms, info):
        app.command(cls=JsonFlagCommand)(printing)
    for command in (
        generate,
        convert,
        corridor,
        inflate,
        crowd,
        build,
        bench,
        reproduce,
        advise,
        studio,
        warmup,
    ):
        app.command()(command)
    app.add_typer(maps, name="maps")
    return app


def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Print the version or the help."""
    if version:
        from waygrid.version import __version__

        print(f"waygrid {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())
