"""Every command, declared once: dispatch, help, "did you mean", completion and docs follow.

A command more is a function, one entry of ``COMMANDS`` that names it, its name in the marker of
docs/commands.md that its options stand in, and ``make docs``.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.cli.pet_fields import FIELDS
from pettui.models.statuses import STATUSES
from pettui.rows.columns import COLUMNS
from pettui.settings.settings import (
    COLOURS,
    DELIMITER_WORDS,
    LIMIT_BOUNDS,
    LIMIT_DEFAULT,
    LIMIT_MAXIMUM,
    MAPPING_SETTINGS,
    PARALLEL_DEFAULT,
    PARALLEL_MAXIMUM,
    Setting,
    Settings,
    declared,
    flag,
    number,
    one_of,
    option_of,
    text,
)
from pettui.ssh.bounds import BOUNDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    Options = Mapping[str, Setting]


class Command(NamedTuple):
    """A command: its name, its words and what runs it, or which commands it has.

    An option is a ``Setting`` by its name: of a ``bool`` it is a flag, any other takes a value,
    which is checked, and stands in the namespace as what it means. A name without dashes is an
    argument; one with a default can be left out.
    """

    name: str  # "" is the app; "key add" is a command of key
    description: str  # in its own help; its first sentence in that of pettui
    function: str  # "module:name" in commands, imported when the command runs; "" for a group
    options: Options
    epilog: str = ""
    example: str = ""  # behind its name; "" for none
    commands: tuple[Command, ...] = ()  # of a group

    @property
    def program(self) -> str:
        """Return how its user calls it."""
        return f"pettui {self.name}".rstrip()

    @property
    def summary(self) -> str:
        """Return what it does, in a line."""
        return self.description.partition(". ")[0].rstrip(".")

    @property
    def word(self) -> str:
        """Return the last word of its name."""
        return self.name.rpartition(" ")[2]


EXCLUSIVE: Final = (
    ("--demo", "--profile", "--base-url", "--app"),
    ("--json", "--csv"),
    ("--all", "--limit"),
    ("--user", "--users"),
    ("--check", "--init", "--status", "--sessions", "--end"),
    ("--key-env", "--keyring"),
    ("--skip-duplicates", "--send-duplicates"),
    ("--header-line", "--no-header"),
    ("--skip-changed", "--send-changed"),
    ("--begin-empty", "--keep-samples"),
)
"""Of each of these a command line may have one."""
_ASKS: Final = ("--status", "--sessions", "--end", "--drain")  # what is asked of a running server
NEEDS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = MappingProxyType(
    {
        ("list", "--reverse"): ("--sort",),
        ("export", "--reverse"): ("--sort",),
        ("serve", "--print"): ("--init",),
        ("key add", "--overlap"): ("--replace",),
        ("ssh", "--json"): _ASKS[:2],
        ("ssh", "--name"): _ASKS,
        ("ssh", "--pid"): _ASKS,
    }
)
"""Options of commands that are nothing without one of others."""
SHORT: Final = MappingProxyType(
    {
        "--all": "-a",
        "--json": "-j",
        "--limit": "-n",
        "--quiet": "-q",
        "--status": "-s",
        "--version": "-V",
    }
)
"""The only options with a short form."""
LIKE: Final = MappingProxyType({"ls": "list", "show": "get", "version": "--version"})
"""What other programs call a command, or an option, of ours."""
FIELD_NAMES: Final = tuple(field.name for field in FIELDS)
SORTED_BY: Final = tuple(column.name for column in COLUMNS)
SHELLS: Final = ("bash", "zsh", "fish")
EXPORT_FORMATS: Final = ("csv", "json", "jsonl")
FILES: Final = ("FILE", "PATH", "WHERE")  # what values are called that may be names of files
STANDARD_STREAM: Final = "-"  # as a file
OUTBOX_STATES: Final = ("waiting", "sending", "added", "refused", "unknown")
METRICS_PORT: Final = 9464  # of serve
SSH_METRICS_PORT: Final = 9465


def _of_ssh(name: str, metavar: str, description: str, *, unset: str = "") -> Setting:
    """Return a number of the server over SSH."""
    least, most, usual = BOUNDS[name]
    return number(metavar, description, None, least, most, unset=unset or str(usual))


def _metrics(port: int) -> Setting:
    return text("ADDRESS", f"metrics for Prometheus, such as 127.0.0.1 or 127.0.0.1:{port}")


def _group(
    name: str, description: str, example: str, *commands: Command, epilog: str = ""
) -> Command:
    """Return a command of commands, which has its epilog where they have none of their own."""
    inside = tuple(each._replace(epilog=each.epilog or epilog) for each in commands)
    return Command(name, description, "", {}, epilog, example, inside)


def _of_settings(setting: Setting) -> Setting:
    """Return a setting of the file as an option, which says what it can be."""
    *words, last = setting.words or ("",)
    described = f"{setting.description}, {setting.values}"
    return setting._replace(
        description=f"{', '.join(words)} or {last}" if words else described,
        unset=setting.unset or setting.usual,
    )


SETTINGS: Final[Options] = MappingProxyType(
    {
        option_of(name): _of_settings(setting)
        for name, setting in declared(Settings).items()
        if setting.metavar
    }
)
"""What an option can set for one start instead of the file; ``configuration`` checks the values."""

_CONFIG: Final = {"--config": text("FILE", "another configuration file (PETTUI_CONFIG)")}
_STORE: Final = {
    "--demo": flag("sample animals in memory; nothing is kept"),
    "--profile": text("NAME", "a profile of the configuration file"),
    "--base-url": text("URL", "a service's address, ending in /v1 (PETTUI_BASE_URL)"),
    **_CONFIG,
}
_DEMO: Final = {
    "--animals": text("FILE", "animals of the demo: CSV, JSON or JSON Lines"),
    "--welcome": text("FILE", "text that the demo begins with, at most 20 lines"),
    "--read-only": flag("the demo accepts no new animals"),
}
_STATE: Final = {
    "--state": text("WHERE", "postgresql://… of users' outboxes, or a file with it (PETTUI_STATE)"),
}
_QUIET: Final = {"--quiet": flag("no notices and no progress, only errors and warnings")}
_KEYS: Final = {"--keys": text("FILE", "API keys of serve", unset="in the data directory")}
_SAVED: Final = {
    **_KEYS,
    "--database": text("PATH", "the store's file, as of serve (PETTUI_DATABASE)"),
    "--host-key": text("FILE", "the key of pettui ssh", unset="in the state directory"),
    **_QUIET,
}
_SERVER: Final = {
    "--host": text("HOST", "address to listen on", "127.0.0.1"),
    "--check": flag("say what would keep it from serving, but for a port in use; exit"),
}
_OUTPUT: Final = {
    "--json": flag("JSON Lines, each animal exactly as the service sent it"),
    "--csv": flag("CSV with a header"),
    "--null": flag("end records with NUL, and do not escape fields"),
    "--fields": text("NAMES", f"only these of {', '.join(FIELD_NAMES)}, in this order: name,id"),
    **_QUIET,
}
_OUTBOX: Final = {
    **{name: each for name, each in _STORE.items() if name != "--demo"},
    "--user": text("WHO", "of a user over SSH: the account, the name, or the key's fingerprint"),
    "--users": flag("of all users over SSH"),
    **_STATE,
    **_QUIET,
}
_WHICH: Final = {
    "which": one_of(OUTBOX_STATES, "WHICH", "a key of the list, or a state")._replace(default="")
}
_DRAFTS: Final = {"--drafts": flag("what is half typed; WHICH is a key, or all")}
_STATUS: Final = one_of(tuple(STATUSES), "STATUS", ", ".join(STATUSES))
_PAGE_SIZE: Final = f"{LIMIT_MAXIMUM}; {LIMIT_DEFAULT} for a page on a terminal"
_QUERY: Final = {
    "--status": _STATUS._replace(is_repeated=True),
    "--limit": number("N", "at most N animals, of those that are found", None, 1, 10**15),
    "--page-size": number(
        "N", f"animals per request, {LIMIT_BOUNDS}", None, 1, LIMIT_MAXIMUM, unset=_PAGE_SIZE
    ),
    "--find": text("TEXT", "only animals with these words: 'rex -luna status:sold id>50'"),
    "--sort": one_of(SORTED_BY, "COLUMN", f"by {', '.join(SORTED_BY)}"),
    "--reverse": flag("with --sort: in descending order"),
}

_APP_EPILOG: Final = """\
Without any configuration pettui opens a store of its own, in a file of yours. The API key of a
service comes from the environment variable PETTUI_API_KEY or from its profile, never from the
command line, where others could read it.
"""
_OUTPUT_EPILOG: Final = """\
On a terminal the output is a table, elsewhere lines of fields separated by tabs, in which \\t, \\n
and \\\\ stand for a tab, a line break and a backslash.
"""
_IMPORT_EPILOG: Final = """\
CSV with comma, semicolon, tab or |, JSON, JSON Lines, or a sheet of XLSX, XLS or ODS: name,
category (a number, or a name from the profile) and status, in columns of any order. Where they are
called otherwise, nothing is read: the columns are shown, with a guess, and --column and the options
behind it say what they are.

Stop it at any time and run it again: no animal is added twice or forgotten. A line that gets no
answer is sent again by itself, by this run and the next one, where the service promises to add it
once, as pettui serve does. Elsewhere it is unknown: it may have been added, and is not sent again
unless you ask for it.
"""
_OUTBOX_EPILOG: Final = """\
WHICH is a key of the list, or a state; without it list shows all, and send sends what waits. What
was refused, or is unknown, is only sent again if WHICH names it. What a running pettui has open is
left alone.
"""
_RECONCILE_EPILOG: Final = """\
Each line says what became of an animal: there, added (again, with another id), or doubtful. What is
doubtful was not sent with a key to this store, or the outbox no longer has it: it is not sent. Look
for it.
"""
_PROFILE_EPILOG: Final = """\
It asks for the API key, or reads it from standard input, and shows it nowhere. It keeps it in a
file that only you can read, beside the configuration file, unless --keyring or --key-env says
otherwise. Comments in the configuration file stay. It asks the address once without the key, sends
the key only where that is refused as the service does, and adds the profile in any case.
"""
_COMPLETION_EPILOG: Final = """\
To install it:
  bash   mkdir -p ~/.local/share/bash-completion/completions
         pettui completion bash >~/.local/share/bash-completion/completions/pettui
  zsh    mkdir -p ~/.zfunc     (a directory in your fpath)
         pettui completion zsh >~/.zfunc/_pettui
  fish   mkdir -p ~/.config/fish/completions
         pettui completion fish >~/.config/fish/completions/pettui.fish
"""
_SERVE_EPILOG: Final = """\
It accepts the API keys of PETTUI_SERVICE_KEYS (comma separated) and those of
pettui key. If there are none, it makes one for this run and prints it on a terminal;
elsewhere it ends with 2.
"""
_SSH_EPILOG: Final = """\
Without --demo, --profile and --app it serves what is configured; without any configuration, the
demo: sample animals in memory, for each session its own. The log goes to standard error.
"""

APP: Final = Command(
    "",
    "A terminal client for the animal store service.",
    "app:open_app",
    {
        **_STORE,
        "--no-samples": flag("a store of your own that this makes begins empty"),
        **SETTINGS,
        **_DEMO,
        "--version": flag("show the version and exit"),
    },
    _APP_EPILOG,
)
_COMMANDS: Final = (
    Command(
        "list",
        "List animals. A page on a terminal, all of them elsewhere, in the order of the service.",
        "list:list_pets",
        {
            **_STORE,
            **_QUERY,
            "--all": flag("all pages, on a terminal too; the default with --find or --sort"),
            **_OUTPUT,
        },
        _OUTPUT_EPILOG,
        example="--status sold --find luna -n 5",
    ),
    Command(
        "get",
        "Show animals by their ids.",
        "get:get_pets",
        {
            **_STORE,
            "id": text("ID", "the animals' ids; - is standard input")._replace(is_repeated=True),
            **_OUTPUT,
        },
        _OUTPUT_EPILOG,
        example="61",
    ),
    Command(
        "add",
        "Add an animal. It is sent once, without the outbox, and not again by itself.",
        "add:add_pet",
        {
            **_STORE,
            "name": text("NAME", "the animal's name"),
            "category": text("CATEGORY", "a number (-- before a negative one), or its name"),
            "--status": _STATUS,
            "--idempotency-key": text("KEY", "add it once, however often this is run with KEY"),
            **_OUTPUT,
        },
        _OUTPUT_EPILOG,
        example="Rex 3 --status available",
    ),
    Command(
        "export",
        "Write all animals to a file, whole or not at all.",
        "export:export_pets",
        {
            **_STORE,
            "file": text("FILE", "its end chooses the format; - is standard output"),
            "--format": one_of(EXPORT_FORMATS, "FORMAT", "csv, json or jsonl", unset="by FILE"),
            "--since-id": text("ID", "only animals with a higher id, of all pages"),
            **_QUERY,
            "--all": flag("all pages; the default"),
            "--force": flag("overwrite an existing file"),
            "--skip-unreadable": flag("leave out rows of the list that are not animals"),
            "--delimiter": text("CHARACTER", f"between the cells of a CSV: {DELIMITER_WORDS}", ","),
            "--bom": flag("a CSV begins with a byte order mark, by which Excel knows UTF-8"),
            "--names": flag("a CSV ends in a column with the names of categories"),
            **_QUIET,
        },
        example="animals.csv",
    ),
    Command(
        "import",
        "Add the animals of a file. It is checked whole, and each is added exactly once.",
        "importing:import_pets",
        {
            **_STORE,
            "file": text("FILE", "the file to import; - is standard input"),
            **{option_of(name): setting for name, setting in MAPPING_SETTINGS.items()},
            "--mapping": text("NAME", "the mapping that is kept by this name"),
            "--save-mapping": text("NAME", "keep the mapping of this file in the configuration"),
            "--begin-empty": flag("first take the samples out of a store that has nothing else"),
            "--keep-samples": flag("add to the samples"),
            "--dry-run": flag("check and count; send nothing"),
            "--skip-bad": flag("leave out bad lines and send the others"),
            "--skip-duplicates": flag("leave out what is listed, or of another import"),
            "--send-duplicates": flag("also send what is listed, or of another import"),
            "--skip-changed": flag("leave out what is listed with another status"),
            "--send-changed": flag("also add what is listed with another status"),
            "--skip-unreadable": flag("send although rows of the list are not animals"),
            "--again": flag("also send what was added; only what is not listed, if some is not"),
            "--check": flag("list what unknown lines could be; send nothing"),
            "--retry-unknown": flag("send unknown lines again"),
            "--parallel": number("N", "requests at once", PARALLEL_DEFAULT, 1, PARALLEL_MAXIMUM),
            "--result": text("FILE", "what became of each line", unset="beside the file"),
            **_QUIET,
        },
        _IMPORT_EPILOG,
        example="animals.csv --dry-run",
    ),
    _group(
        "outbox",
        "List, send or forget what is on its way to a service.",
        "list refused",
        Command(
            "outbox list",
            "List the animals in the outbox.",
            "outbox:list_entries",
            {**_OUTBOX, **_WHICH, **_DRAFTS, "--json": flag("JSON Lines")},
            example="refused",
        ),
        Command(
            "outbox send",
            "Send what waits, or what is named. What became of it is listed.",
            "outbox:send_entries",
            {
                **_OUTBOX,
                **_WHICH,
                "--with-profile-key": flag("what is for a user's own API key, with the profile's"),
                "--json": flag("JSON Lines"),
            },
            example="unknown",
        ),
        Command(
            "outbox give-up",
            "Send no more what is sent again until it is answered. It is unknown then.",
            "outbox:give_up_entries",
            {**_OUTBOX, "which": _WHICH["which"]._replace(default=None)},
            example="sending",
        ),
        Command(
            "outbox forget",
            "Remove animals from the outbox, without adding them.",
            "outbox:forget_entries",
            {**_OUTBOX, "which": _WHICH["which"]._replace(default=None), **_DRAFTS},
            example="refused",
        ),
        Command(
            "outbox move",
            "Bring what was left in another place. That is where outboxes were before --state, or"
            " for another address of the profile.",
            "outbox:move_entries",
            {
                **_OUTBOX,
                "--yes": flag("both are the same service; do not ask"),
            },
            example="--users",
        ),
        Command(
            "outbox reconcile",
            "Send again what a restored store lacks. Each animal that was added since a time is"
            " sent with its key: what is there is not added twice.",
            "reconcile:reconcile",
            {
                **_OUTBOX,
                "--since": text("TIME", "of the backup, or a little before"),
                "--json": flag("JSON Lines"),
            },
            _RECONCILE_EPILOG,
            example="--since 2026-11-28T02:00",
        ),
        epilog=_OUTBOX_EPILOG,
    ),
    Command(
        "completion",
        "Write a completion script for bash, zsh or fish. Profiles and files are completed, too.",
        "completion:complete",
        {"shell": one_of(SHELLS, "SHELL", "bash, zsh or fish")},
        _COMPLETION_EPILOG,
        example="bash",
    ),
    Command(
        "doctor",
        "Check the setup. What is configured, and where, is shown. Nothing is changed.",
        "doctor:run_doctor",
        {**_STORE, **_STATE, "--json": flag("as one JSON object")},
        example="--json",
    ),
    _group(
        "profile",
        "Add, list, test or remove profiles of services.",
        "add shop https://store.example/v1",
        Command(
            "profile add",
            "Add a profile to the configuration file.",
            "profile:add",
            {
                "name": text("NAME", "name of the new profile"),
                "address": text("URL", "the service's address, ending in /v1"),
                "--label": text("TEXT", "what the header shows", unset="the name"),
                "--colour": one_of(COLOURS, "COLOUR", ", ".join(COLOURS)),
                "--key-env": text("NAME", "the environment variable that has the API key"),
                "--keyring": flag("keep the API key in the system's keyring"),
                **_CONFIG,
                **_QUIET,
            },
            _PROFILE_EPILOG,
            example="shop https://store.example/v1",
        ),
        Command(
            "profile list",
            "List the profiles of the configuration file.",
            "profile:list_profiles",
            {"--json": flag("as JSON Lines"), **_CONFIG},
            example="--json",
        ),
        Command(
            "profile test",
            "Ask a profile's service for an animal, and say how long that took.",
            "profile:test",
            {"name": text("NAME", "name of the profile"), **_CONFIG, **_QUIET},
            example="shop",
        ),
        Command(
            "profile remove",
            "Remove a profile, and the API key that was kept for it.",
            "profile:remove",
            {
                "name": text("NAME", "name of the profile"),
                "--force": flag("although animals wait in its outbox"),
                **_CONFIG,
            },
            example="shop",
        ),
    ),
    Command(
        "serve",
        "Serve a store over HTTP, under the path /v1.",
        "serve:serve",
        {
            **_SERVER,
            "--port": number("N", "0 picks a free port", 8080, 0, 65_535),
            "--database": text(
                "PATH",
                "a file, :memory: or postgresql://… (PETTUI_DATABASE)",
                unset="the file that pettui opens",
            ),
            "--samples": number("N", "sample animals for an empty store", 0, 0, 100_000_000),
            "--tls-cert": text("FILE", "serve https with this certificate (PEM)"),
            "--tls-key": text("FILE", "its private key, if it is in another file"),
            "--insecure": flag("allow plain http beyond loopback"),
            "--trusted-proxies": text("NETWORKS", "with commas: whose X-Forwarded-For counts"),
            **_KEYS,
            "--metrics": _metrics(METRICS_PORT),
            "--init": flag("make the store's tables, with the rights that this takes, and exit"),
            "--print": flag("with --init: print the SQL that makes them, and run nothing"),
        },
        _SERVE_EPILOG,
        example="--port 8080",
    ),
    _group(
        "key",
        "Manage the API keys that pettui serve accepts.",
        "add till-1",
        Command(
            "key add",
            "Make a key, and write it to standard output. It is shown only once.",
            "key:add",
            {
                "name": text("NAME", "name of the new key"),
                **_KEYS,
                "--read-only": flag("a key that adds no animals"),
                "--expires": text("DATE", "the first day on which it is refused (UTC)"),
                "--replace": flag("in place of the key of that name, which ends"),
                "--overlap": text("TIME", "for which that key is still accepted: 30m, 1h, 7d"),
            },
            example="till-1",
        ),
        Command(
            "key list",
            "List the keys by their names. None is shown.",
            "key:list_keys",
            {**_KEYS, "--json": flag("JSON Lines")},
            example="--json",
        ),
        Command(
            "key remove",
            "Remove a key. A running service refuses it at once.",
            "key:remove",
            {"name": text("NAME", "name of the key"), **_KEYS},
            example="till-1",
        ),
    ),
    Command(
        "backup",
        "Save store, API keys, host key and state in a file. It is private (0600), and opened to"
        " check it. pettui may run meanwhile.",
        "backup:back_up",
        {
            "file": text("FILE", "a tar file; - is standard output"),
            "--force": flag("overwrite an existing file"),
            **_SAVED,
        },
        example="backup.tar",
    ),
    Command(
        "restore",
        "Put a backup where nothing is yet. It is checked. What waited in an outbox is unknown.",
        "backup:restore",
        {
            "file": text("FILE", "a file that pettui backup wrote; - is standard input"),
            **_SAVED,
        },
        example="backup.tar",
    ),
    Command(
        "ssh",
        "Serve the app over SSH. Users need nothing but an SSH client.",
        "ssh:serve_ssh",
        {
            "--demo": flag("anyone may log in; nothing is kept"),
            "--profile": text("NAME", "a profile of the configuration file"),
            "--app": text("MODULE:APP", "another Textual app, such as clock:Clock"),
            **_CONFIG,
            **_DEMO,
            **_STATE,
            "--authorized-keys": text("FILE", "public keys that may log in; not to a demo"),
            **_SERVER,
            "--port": _of_ssh("port", "N", "0 picks a free port"),
            "--public": flag("allow beyond loopback what anyone may log in to"),
            "--host-key": text("FILE", "the server's key", unset="in the state directory"),
            "--workers": _of_ssh("workers", "N", "processes", unset="one per core; 1 with --app"),
            "--max-sessions": _of_ssh("max_sessions", "N", "in all"),
            "--max-queue": _of_ssh("max_queue", "N", "waiting users"),
            "--per-address": _of_ssh(
                "per_address", "N", "sessions and waiting users of an address"
            ),
            "--idle-timeout": _of_ssh("idle_timeout", "S", "seconds without a key; 0: no limit"),
            "--login-timeout": _of_ssh("login_timeout", "S", "seconds until a session is open"),
            "--trusted-proxies": text("NETWORKS", "with commas: whose PROXY headers count"),
            "--metrics": _metrics(SSH_METRICS_PORT),
            "--status": flag("show the status of your running server, and exit"),
            "--sessions": flag("show who is on your running server, since when, from where; exit"),
            "--end": text("WHOSE", "end session N of --sessions, or all of SHA256:…, and exit"),
            "--drain": flag(
                "have your running server take no sessions, end with those it has; exit"
            ),
            "--drain-timeout": _of_ssh("drain_timeout", "S", "seconds until a drain ends them"),
            "--name": text("NAME", "of the server, with --status, --sessions, --end or --drain"),
            "--pid": number("PID", "the same: of its first process", None, 1, 10**9),
            "--json": flag("with --status or --sessions: as JSON"),
        },
        _SSH_EPILOG,
        example="--demo",
    ),
)
_NAMES: Final = tuple(command.name for command in _COMMANDS)
COMMANDS: Final = (
    *_COMMANDS,
    Command(
        "help",
        "Show this help, or a command's.",
        "help:show_help",
        {"command": one_of(_NAMES, "COMMAND", "a command")._replace(default="", is_repeated=True)},
        example="list",
    ),
)


def all_commands() -> tuple[Command, ...]:
    """Return every command, and behind it those that it has."""
    return tuple(each for command in COMMANDS for each in (command, *command.commands))
