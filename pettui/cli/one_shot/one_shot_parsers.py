"""What can stand on the command lines of the one-shot commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.cli.arguments import OneLineParser, add_store_options
from pettui.configuration import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable

STATUSES = ("available", "pending", "sold")
COLUMNS = ("id", "name", "category", "status")
_OUTPUT_EPILOG = """\
On a terminal the animals stand in a table, elsewhere on lines of fields with tabs between them:
\\t, \\n and \\\\ in a field stand for a tab, a line break and a backslash.

Exit codes: 0; 1 the service refused; 2 command line, settings or a file; 3 no answer, or an
unknown outcome; 70 a bug of pettui's own; 130 interrupted.
"""
_IMPORT_EPILOG = """\
CSV with comma, semicolon or tab, JSON or JSON Lines: name, category (a number, or a name of the
profile's) and status, in columns of any order under a header, or in this order without one.

Stopped at any moment and run again, it adds nothing twice and forgets nothing. A line is unknown
where no answer came: it may have been added, and is never sent again by itself.

Exit codes: 0 all lines are added; 1 the service refused; 2 command line, settings or a
file; 3 no answer, or some lines are unknown; 4 some lines are bad or were refused; 70 a bug of
pettui's own; 130 interrupted.
"""
_COMPLETION_EPILOG = """\
To have it from now on:
  bash   pettui completion bash >~/.local/share/bash-completion/completions/pettui
  zsh    pettui completion zsh >~/.zfunc/_pettui     (a directory of your fpath)
  fish   pettui completion fish >~/.config/fish/completions/pettui.fish
"""


def list_parser() -> OneLineParser:
    """Return the parser of ``pettui list``."""
    parser = _parser("list", "List animals, the newest first, as far as the service sorts them so.")
    _add_query_options(parser)
    parser.add_argument("--all", action="store_true", help="follow the service's links to the end")
    _add_output_options(parser)
    return parser


def get_parser() -> OneLineParser:
    """Return the parser of ``pettui get``."""
    parser = _parser("get", "Show one animal.")
    parser.add_argument("id", metavar="ID", help="its number")
    _add_output_options(parser)
    return parser


def add_parser() -> OneLineParser:
    """Return the parser of ``pettui add``."""
    parser = _parser(
        "add", "Add an animal: sent once, and never again. It does not wait in the outbox."
    )
    parser.add_argument("name", metavar="NAME", help="the animal's name")
    category = "a number, or a name of the profile's; -- before a negative one"
    parser.add_argument("category", metavar="CATEGORY", help=category)
    parser.add_argument("--status", metavar="STATUS", help=", ".join(STATUSES))
    _add_output_options(parser)
    return parser


def export_parser() -> OneLineParser:
    """Return the parser of ``pettui export``."""
    parser = _parser("export", "Write all animals to a file, whole or not at all.")
    parser.add_argument(
        "file", metavar="FILE", help="named .csv, .json, .jsonl or .ndjson, which is its format"
    )
    _add_query_options(parser)
    parser.add_argument("--all", action="store_true", help="as without --limit")
    parser.add_argument("--force", action="store_true", help="overwrite a file that is there")
    _add_quiet_option(parser)
    return parser


def import_parser() -> OneLineParser:
    """Return the parser of ``pettui import``."""
    parser = OneLineParser(
        prog="pettui import",
        description="Check a whole file, and add its animals, each of them once.",
        epilog=_IMPORT_EPILOG,
    )
    add_store_options(parser)
    add = parser.add_argument
    add("file", metavar="FILE", help="what to add; - is standard input")
    add("--dry-run", action="store_true", help="only check and count; nothing is sent")
    add("--skip-bad", action="store_true", help="leave out bad lines, and send the others")
    add("--skip-duplicates", action="store_true", help="leave out what is there, or twice here")
    add("--again", action="store_true", help="send what an earlier import added, too")
    add("--check", action="store_true", help="look for unknown lines in the list; send nothing")
    add(
        "--retry-unknown",
        action="store_true",
        help="send unknown lines again; with --check those that are not found",
    )
    add("--parallel", metavar="N", default="4", help="requests at once, 1 to 16 (%(default)s)")
    add(
        "--result",
        metavar="FILE",
        help="what became of each line: CSV, or JSON by its suffix; - is standard output "
        "(beside the file: NAME.result.csv)",
    )
    _add_quiet_option(parser)
    return parser


def completion_parser() -> OneLineParser:
    """Return the parser of ``pettui completion``."""
    parser = OneLineParser(
        prog="pettui completion",
        description="A script that lets a shell complete the words behind pettui.",
        epilog=_COMPLETION_EPILOG,
    )
    parser.add_argument("shell", metavar="SHELL", help="bash, zsh or fish")
    return parser


def doctor_parser() -> OneLineParser:
    """Return the parser of ``pettui doctor``."""
    parser = OneLineParser(
        prog="pettui doctor",
        description="Say what is set up, from where, and whether it works; nothing is changed.",
        epilog="Exit codes: 0; 1 something is wrong; 2 the command line; 70 a bug of pettui's own.",
    )
    add_store_options(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")
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
    add("--status", metavar="STATUS", help=f"only these: {', '.join(STATUSES)}")
    add("--limit", metavar="N", help="animals asked for at once, 1 to 100 (20)")
    add("--find", metavar="TEXT", help="of those only the ones that hold each of these words")
    add("--sort", metavar="COLUMN", help=f"by {', '.join(COLUMNS)}")
    add("--reverse", action="store_true", help="with --sort: from its other end")


def _add_output_options(parser: OneLineParser) -> None:
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--json", action="store_true", help="JSON Lines: each animal exactly as it came"
    )
    form.add_argument("--csv", action="store_true", help="CSV with a header")
    parser.add_argument(
        "--null", action="store_true", help="records end with NUL, and fields are raw"
    )
    _add_quiet_option(parser)


def _add_quiet_option(parser: OneLineParser) -> None:
    parser.add_argument(
        "--quiet", action="store_true", help="no notices and no progress; errors are told"
    )
