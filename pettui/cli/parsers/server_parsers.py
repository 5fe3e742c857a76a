"""The parsers of the commands that serve, or manage what is served."""

from __future__ import annotations

from pettui.cli.parsers.app_parser import add_config_option, add_demo_options
from pettui.cli.parsers.one_line_parser import OneLineParser
from pettui.settings import TRUSTED_PROXIES


def serve_parser() -> OneLineParser:
    """Return the parser of ``pettui serve``."""
    parser = OneLineParser(
        prog="pettui serve",
        description="Serve a store over HTTP, under the path /v1.",
        epilog="It accepts the API keys of PETTUI_SERVICE_KEYS (comma separated) and those of\n"
        "pettui key. If there are none, it makes one for this run and prints it on a terminal;\n"
        "elsewhere it ends with 2.",
    )
    add = parser.add_argument
    add("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    add("--port", default="8080", metavar="N", help="0 picks a free port (default: %(default)s)")
    add(
        "--database",
        metavar="PATH",
        help="the store's file in an existing directory, :memory: or postgresql://… "
        "(PETTUI_DATABASE; default: the file that pettui opens)",
    )
    add("--samples", default="0", metavar="N", help="fill an empty store with N sample animals")
    add("--tls-cert", metavar="FILE", help="serve https with this certificate (PEM)")
    add("--tls-key", metavar="FILE", help="its private key, if it is in another file")
    add("--insecure", action="store_true", help="allow plain http beyond loopback")
    add(
        "--trusted-proxy",
        action="append",
        metavar=TRUSTED_PROXIES.metavar,
        help=TRUSTED_PROXIES.description,
    )
    return parser


def key_parser() -> OneLineParser:
    """Return the parser of ``pettui key``."""
    parser = OneLineParser(
        prog="pettui key",
        description="Manage the API keys that pettui serve accepts. A new key is shown only once.",
    )
    # Optional and without choices: ``manage_keys`` explains better what is wrong.
    parser.add_argument("action", nargs="?", metavar="add|list|remove", help="what to do")
    parser.add_argument("name", nargs="?", help="name of the key to add or remove")
    return parser


def ssh_parser() -> OneLineParser:
    """Return the parser of ``pettui ssh``."""
    parser = OneLineParser(
        prog="pettui ssh",
        description="Serve the app over SSH. Users need nothing but an SSH client.",
        epilog="Without --demo and --profile it serves what is configured; without any "
        "configuration, the\ndemo: sample animals in memory, for each session its own. The log "
        "goes to standard error.",
    )
    add = parser.add_argument
    store = parser.add_mutually_exclusive_group()
    store.add_argument("--demo", action="store_true", help="anyone may log in; nothing is kept")
    store.add_argument("--profile", metavar="NAME", help="a profile of the configuration file")
    add_config_option(parser)
    add_demo_options(parser)
    add("--authorized-keys", metavar="FILE", help="public keys that may log in to a profile")
    add("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    add("--port", metavar="N", help="0 picks a free port (default: 2222)")
    add("--public", action="store_true", help="allow the demo beyond loopback")
    add(
        "--host-key",
        metavar="FILE",
        help="the server's key, in an existing directory (default: in the state directory)",
    )
    add("--workers", metavar="N", help="processes (default: one per core)")
    _add_session_limits(parser)
    add("--status", action="store_true", help="show the status of your running server, and exit")
    add("--json", action="store_true", help="with --status: as JSON")
    return parser


def _add_session_limits(parser: OneLineParser) -> None:
    add = parser.add_argument
    add("--max-sessions", default="100", metavar="N", help="in all (default: %(default)s)")
    add("--max-queue", default="200", metavar="N", help="waiting users (default: %(default)s)")
    add(
        "--per-address",
        default="20",
        metavar="N",
        help="sessions and waiting users of one address (default: %(default)s)",
    )
    add(
        "--idle-timeout",
        default="900",
        metavar="S",
        help="seconds without a key until a session ends; 0: never (default: %(default)s)",
    )
    add(
        "--login-timeout",
        default="30",
        metavar="S",
        help="seconds until a session must be open (default: %(default)s)",
    )
