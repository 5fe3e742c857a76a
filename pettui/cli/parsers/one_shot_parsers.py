"""The parsers of the one-shot commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.cli.parsers.app_parser import add_store_options
from pettui.cli.parsers.one_line_parser import OneLineParser
from pettui.configuration import ConfigurationError
from pettui.models import STATUSES
from pettui.settings import LIMIT_BOUNDS, LIMIT_DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable

COLUMNS = ("id", "name", "category", "status")
_OUTPUT_EPILOG = """\
On a terminal the output is a table, elsewhere lines of fields separated by tabs, in which \\t, \\n
and \\\\ stand for a tab, a line break and a backslash.

Exit codes: 0 done; 1 error from the service; 2 command line, settings or a file; 3 no response,
or unknown whether the animal was added; 70 a bug in pettui; 130 interrupted.
"""
_IMPORT_EPILOG = """\
CSV with comma, semicolon or tab, JSON or JSON Lines: name, category (a number, or a name from the
profile) and status, in columns of any order under a header, or in this order without one.

Stop it at any time and run it again: no animal is added twice or forgotten. A line is unknown if
no response came: it may have been added, and is not sent again unless you ask for it.

Exit codes: 0 all lines are added; 1 error from the service; 2 command line, settings or a file;
3 no response, or some lines are unknown; 4 some lines are bad or were refused; 70 a bug in
pettui; 130 interrupted.
"""
_COMPLETION_EPILOG = """\
To install it:
  bash   mkdir -p ~/.local/share/bash-completion/completions
         pettui completion bash >~/.local/share/bash-completion/completions/pettui
  zsh    mkdir -p ~/.zfunc     (a directory in your fpath)
         pettui completion zsh >~/.zfunc/_pettui
  fish   mkdir -p ~/.config/fish/completions
         pettui completion fish >~/.config/fish/completions/pettui.fish
"""


def list_parser() -> OneLineParser:
    """Return the parser of ``pettui list``."""
    parser = _parser("list", "List animals, in the order of the service.")
    _add_query_options(parser)
    parser.add_argument(
        "--all",
        action="store_true",
        help="all pages; the default with --find or --sort, without --limit",
    )
    _add_output_options(parser)
    return parser


def get_parser() -> OneLineParser:
    """Return the parser of ``pettui get``."""
    parser = _parser("get", "Show one animal.")
    parser.add_argument("id", metavar="ID", help="the animal's id")
    _add_output_options(parser)
    return parser


def add_parser() -> OneLineParser:
    """Return the parser of ``pettui add``."""
    parser = _parser(
        "add", "Add an animal. It is sent once, without the outbox, and never retried."
    )
    parser.add_argument("name", metavar="NAME", help="the animal's name")
    category = "a number (after -- if it is negative), or a name from the profile"
    parser.add_argument("category", metavar="CATEGORY", help=category)
    parser.add_argument("--status", metavar="STATUS", help=", ".join(STATUSES))
    _add_output_options(parser)
    return parser


def export_parser() -> OneLineParser:
    """Return the parser of ``pettui export``."""
    parser = _parser("export", "Write all animals to a file, whole or not at all.")
    parser.add_argument(
        "file", metavar="FILE", help=".csv, .json, .jsonl or .ndjson, which chooses the format"
    )
    _add_query_options(parser)
    parser.add_argument("--all", action="store_true", help="all pages; the default without --limit")
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    _add_quiet_option(parser)
    return parser


def import_parser() -> OneLineParser:
    """Return the parser of ``pettui import``."""
    from pettui.transfer.import_run import PARALLEL_BOUNDS, PARALLEL_DEFAULT

    parser = OneLineParser(
        prog="pettui import",
        description="Check a whole file, and add its animals, each exactly once.",
        epilog=_IMPORT_EPILOG,
    )
    add_store_options(parser)
    add = parser.add_argument
    add("file", metavar="FILE", help="the file to import; - is standard input")
    add("--dry-run", action="store_true", help="check and count; send nothing")
    add("--skip-bad", action="store_true", help="leave out bad lines and send the others")
    add(
        "--skip-duplicates",
        action="store_true",
        help="leave out what is listed, or earlier in the file",
    )
    add("--again", action="store_true", help="also send what an earlier import added")
    add("--check", action="store_true", help="look for unknown lines in the list; send nothing")
    add(
        "--retry-unknown",
        action="store_true",
        help="send unknown lines again; with --check, those that were not found",
    )
    add(
        "--parallel",
        metavar="N",
        default=str(PARALLEL_DEFAULT),
        help=f"concurrent requests, {PARALLEL_BOUNDS} (default: %(default)s)",
    )
    add(
        "--result",
        metavar="FILE",
        help="what became of each line, as CSV or JSON by suffix; - is standard output "
        "(default: NAME.result.csv beside the file)",
    )
    _add_quiet_option(parser)
    return parser


def completion_parser() -> OneLineParser:
    """Return the parser of ``pettui completion``."""
    parser = OneLineParser(
        prog="pettui completion",
        description="Write a script that completes commands, options, profiles and files.",
        epilog=_COMPLETION_EPILOG,
    )
    parser.add_argument("shell", metavar="SHELL", help="bash, zsh or fish")
    return parser


def doctor_parser() -> OneLineParser:
    """Return the parser of ``pettui doctor``."""
    parser = OneLineParser(
        prog="pettui doctor",
        description="Show what is configured, and where, and check it. Nothing is changed.",
        epilog="Exit codes: 0 no problem; 1 problems found; 2 command line; 70 a bug in pettui.",
    )
    add_store_options(parser)
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    return parser


def one_of(possible: Iterable[str], option: str, text: str | None) -> str | None:
    """Return an option's value, None where it was not given.

    Raises:
        ConfigurationError: it is none of the possible ones.
    """
    known = tuple(possible)
    if text is None or text in known:
        return text
    raise ConfigurationError(option, f"must be one of {', '.join(known)}", value=text)


def _parser(name: str, description: str) -> OneLineParser:
    parser = OneLineParser(prog=f"pettui {name}", description=description, epilog=_OUTPUT_EPILOG)
    add_store_options(parser)
    return parser


def _add_query_options(parser: OneLineParser) -> None:
    add = parser.add_argument
    add("--status", metavar="STATUS", help=f"only this status: {', '.join(STATUSES)}")
    limit = f"animals per request, {LIMIT_BOUNDS} (default: {LIMIT_DEFAULT})"
    add("--limit", metavar="N", help=limit)
    add("--find", metavar="TEXT", help="only animals that contain each of these words")
    add("--sort", metavar="COLUMN", help=f"by {', '.join(COLUMNS)}")
    add("--reverse", action="store_true", help="with --sort: in descending order")


def _add_output_options(parser: OneLineParser) -> None:
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--json", action="store_true", help="JSON Lines, each animal exactly as the service sent it"
    )
    form.add_argument("--csv", action="store_true", help="CSV with a header")
    parser.add_argument(
        "--null", action="store_true", help="end records with NUL, and do not escape fields"
    )
    _add_quiet_option(parser)


def _add_quiet_option(parser: OneLineParser) -> None:
    parser.add_argument(
        "--quiet", action="store_true", help="no notices and no progress, only errors and warnings"
    )
