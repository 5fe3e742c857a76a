"""Every setting, declared once, and settings and profiles as frozen data; for ``configuration``."""

from __future__ import annotations

import re
from binascii import b2a_base64
from dataclasses import dataclass, field, fields
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pettui.appearance.themes import THEMES
from pettui.models.pets import PetStatus
from pettui.system.capabilities import Colours, Glyphs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


_MASK: Final = "***"
_ENTITIES: Final[Mapping[str, str]] = MappingProxyType(
    {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}
)
_BASE64_SIGNS: Final[Mapping[str, str]] = MappingProxyType(
    {"+": r"(?:\+|-|\\u002[bB]|%2[bB]|&\#43;)", "/": r"(?:\\?/|_|\\u002[fF]|%2[fF]|&\#47;)"}
)  # as they are, in addresses, and escaped
_SHORTEST_MASKED: Final = 8  # characters; a shorter key is no secret
_SHORTEST_ENCODED: Final = 8  # characters; a shorter key cannot be recognised in base64
_ESCAPES: Final = ("\\", "%", "&", "\0")  # what an escape starts with
_ESCAPE_BYTES: Final = tuple(escape.encode("ascii") for escape in _ESCAPES)


class ApiKey:
    """A bearer key that is never shown: ``repr``, ``str`` and formatting are masked.

    Only ``reveal()`` returns the key; only the client's transport calls it.
    """

    __slots__ = ("_encoded", "_escaped", "_value")

    def __init__(self, value: str) -> None:
        self._value = value
        # Patterns of the key escaped in any way, and encoded; compiled when needed.
        self._escaped: re.Pattern[str] | None = None
        self._encoded: tuple[re.Pattern[str], ...] | None = None

    def reveal(self) -> str:
        """Return the key itself."""
        return self._value

    def __repr__(self) -> str:
        return "ApiKey(***)"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ApiKey) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("an API key is not pickled or copied to disk")

    @property
    def is_long_enough(self) -> bool:
        """Whether to mask it in other texts, which may contain a shorter one by chance."""
        return len(self._value) >= _SHORTEST_MASKED

    def mask(self, text: str) -> str:
        """Return a text with ``***`` for the key, in whatever form the text contains it.

        That is: in any case, with any of its characters escaped as in JSON (also in JSON within
        JSON), ``repr``, HTML or an address, with the zeros of UTF-16 between them, as hexadecimal
        digits, or in base64.
        """
        is_escaped = any(escape in text for escape in _ESCAPES)
        return self._masked(text, is_there=is_escaped or self._value.lower() in text.lower())

    def mask_bytes(self, content: bytes) -> bytes:
        """Return a text's bytes with ``***`` for the key, as ``mask`` does; JSON stays valid."""
        is_escaped = any(escape in content for escape in _ESCAPE_BYTES)
        is_there = is_escaped or self._value.lower().encode("ascii") in content.lower()
        return self._masked(content.decode("latin-1"), is_there=is_there).encode("latin-1")

    def _masked(self, text: str, *, is_there: bool) -> str:
        """Mask a text in which the key may be, as it is or escaped, or may be encoded alone.

        Most texts have no escapes: a plain search takes a tenth of the time of the pattern, which
        takes six milliseconds to compile.
        """
        if not self._value:
            return text
        if is_there:
            if self._escaped is None:
                self._escaped = re.compile("\0{0,3}".join(map(_forms, self._value)))
            text = self._escaped.sub(_MASK, text)
        if self._encoded is None:
            self._encoded = tuple(map(re.compile, _encoded_forms(self._value)))
        for pattern in self._encoded:
            text = pattern.sub(_MASK, text)
        return text


def is_bearer_token(text: str) -> bool:
    """Whether a text can be sent in ``Authorization: Bearer …``: one word of visible ASCII."""
    return text.isascii() and text.isprintable() and text != "" and " " not in text


def _forms(character: str) -> str:
    r"""Return a pattern of one character, plain, escaped, or escaped twice.

    Every branch starts with a different letter, by which ``re`` finds candidates fast, and every
    repetition is bounded: hostile megabytes take no longer than others. The backslashes before a
    character are matched with it: the first one of ``\\u0073``, left alone, would escape what
    follows.
    """
    cases = sorted({character.lower(), character.upper()})
    # Both halves of an escaped backslash: the one left over would escape what follows.
    plain = r"\\\\|\\" if character == "\\" else "|".join(map(re.escape, cases))
    numbers = "|".join(str(ord(case)) for case in cases)
    digits = "(?:" + "|".join(_hexadecimal(ord(case)) for case in cases) + ")"
    named = _ENTITIES.get(character)
    entity = rf"\#0{{0,6}}(?:{numbers})|\#[xX]0{{0,6}}{digits}" + (f"|{named}" if named else "")
    # Possessive, since no shorter run would match, unless the character is a backslash itself.
    run = r"\\\\{0,15}" if character == "\\" else r"\\\\{0,15}+"
    escaped = rf"{run}(?:{plain}|u00{digits}|x{digits})"
    return rf"(?:{plain}|{escaped}|%(?:25){{0,3}}{digits}|&(?:amp;){{0,3}}(?:{entity});)"


def _hexadecimal(number: int) -> str:
    return "".join(
        f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{number:02x}"
    )


def _encoded_forms(key: str) -> tuple[str, ...]:
    """Return patterns of a key as hexadecimal digits, and in base64 at each alignment."""
    if len(key) < _SHORTEST_ENCODED:
        return ()
    content = key.encode(errors="surrogateescape")  # it may be no valid key, nor valid UTF-8
    base64 = [_base64_form(content, before) for before in range(3)]
    return ("".join(map(_hexadecimal, content)), *base64)


def _base64_form(content: bytes, before: int) -> str:
    """Return a pattern of the characters that do not depend on neighbours (RFC 4648, 4 and 5).

    Args:
        content: at least three bytes.
        before: how many other bytes share its first group of three.
    """
    text = b2a_base64(b"\0" * before + content, newline=False).decode("ascii")
    whole = (before + len(content)) * 8 // 6
    first = (0, 2, 3)[before]
    return "".join(_BASE64_SIGNS.get(letter, letter) for letter in text[first:whole])


# Beside what is declared here.
__all__ = ["ApiKey", "Colours", "Glyphs", "is_bearer_token"]

LIMIT_MINIMUM = 1
LIMIT_MAXIMUM = 100
LIMIT_BOUNDS = f"{LIMIT_MINIMUM} to {LIMIT_MAXIMUM}"  # as messages and help say it
LIMIT_DEFAULT = 20  # of listPets where a request has none, and of commands
PARALLEL_DEFAULT = 4  # requests of an import at once
PARALLEL_MAXIMUM = 16

LABEL_MAXIMUM = 24  # characters
SHORTEST_KEY = 8  # characters; a shorter one would not be secret
SHORTEST_SERVICE_KEY = 16  # of a key that our own service accepts: anybody may try it

KEY_VARIABLE = "PETTUI_API_KEY"  # for a bare address
SERVICE_KEYS_VARIABLE = "PETTUI_SERVICE_KEYS"  # that pettui serve accepts

NO_NAMES: Mapping[Any, str] = MappingProxyType({})


class Setting(NamedTuple):
    """What can be set, for the configuration file, options, completion, doctor and documentation.

    It is named by the field of ``Settings`` or ``Limits`` that has its value, or in a mapping.
    """

    kind: type[bool | float | str]  # a float is seconds
    default: bool | float | str | None  # as a user writes it; None is not set
    description: str
    least: float = 0
    most: float = 0  # of a text: characters; 0 for any
    words: Mapping[str, Any] = NO_NAMES  # what each stands for
    unset: str = ""  # what applies where nothing is set
    metavar: str = ""  # of its option of ``pettui``; a setting without one has none
    is_repeated: bool = False  # whether the option may be given several times

    @property
    def values(self) -> str:
        """Return what it can be, as messages and documentation say it."""
        if self.kind is bool:
            return "true or false"
        if self.kind is str and not self.words:
            return f"{self.least:g} to {self.most} characters" if self.most else "a text"
        return ", ".join(self.words) or f"{self.least:g} to {self.most}"

    @property
    def usual(self) -> str:
        """Return what applies where nothing is set, as help and documentation say it."""
        if self.default is None:
            return "not set"
        return str(self.default).lower() if self.kind is bool else str(self.default)

    @property
    def rule(self) -> str:
        """Return what an error says is right."""
        if self.kind is str and not self.words:
            return f"must be {self.values} long" if self.most else "must be a text in quotes"
        what = {int: "a whole number from ", float: "a number of seconds from ", str: "one of "}
        return f"must be {what.get(self.kind, '')}{self.values}"

    def accepts(self, value: object) -> bool:
        """Whether a value of the file can be used; ``true`` is not a number."""
        if isinstance(value, str):
            fits = not self.most or self.least <= len(value.strip()) <= self.most
            return self.kind is str and (value in self.words if self.words else fits)
        if self.kind is str:
            return False
        if self.kind is bool or isinstance(value, bool):
            return type(value) is self.kind
        kinds = (int, float) if self.kind is float else (int,)
        return isinstance(value, kinds) and self.least <= value <= self.most

    def parsed(self, text: str) -> Any:
        """Return the value that an option's text writes; None where it writes none."""
        if self.kind is str:
            return text
        if self.kind is bool:
            return {"true": True, "false": False}.get(text)
        fraction = r"(\.[0-9]{1,9})?" if self.kind is float else ""
        return self.kind(text) if re.fullmatch(rf"[0-9]{{1,9}}{fraction}", text) else None

    def value(self, written: Any) -> Any:
        """Return what an accepted value stands for."""
        if written is None or self.words:
            return self.words.get(written)
        return self.kind(written)


def flag(description: str, default: bool | None = False) -> Setting:
    """Return a setting that is so or not."""
    return Setting(bool, default, description)


def text(
    metavar: str,
    description: str,
    default: str | None = None,
    *,
    unset: str = "",
    is_repeated: bool = False,
) -> Setting:
    """Return a setting of any text."""
    return Setting(str, default, description, metavar=metavar, unset=unset, is_repeated=is_repeated)


def number(
    metavar: str, description: str, default: int | None, least: int, most: int, *, unset: str = ""
) -> Setting:
    """Return a setting of a whole number."""
    return Setting(int, default, description, least, most, metavar=metavar, unset=unset)


def one_of(words: Iterable[str], metavar: str, description: str, *, unset: str = "") -> Setting:
    """Return a setting of one of some words, each of which stands for itself."""
    possible = MappingProxyType({word: word for word in words})
    return Setting(str, None, description, words=possible, metavar=metavar, unset=unset)


def declared(settings: type) -> dict[str, Setting]:
    """Return the settings that a dataclass declares, by their names."""
    return {
        each.name: each.metadata["setting"]
        for each in fields(settings)
        if "setting" in each.metadata
    }


def option_of(name: str) -> str:
    """Return the option of a setting that has one."""
    return f"--{name.replace('_', '-')}"


def _setting(kind: type, default: Any, description: str, **more: Any) -> Any:
    setting = Setting(kind, default, description, **more)
    return field(default=setting.value(setting.default), metadata={"setting": setting})


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a response the client accepts, and how long it keeps trying for one.

    Users differ in the first five. The others protect memory and the service: nobody who reaches
    one is helped by a larger number.
    """

    rows: int = _setting(
        int, 10_000, "animals kept of one list, all its pages; more are only counted",
        least=1, most=1_000_000,
    )  # fmt: skip
    deadline: float = _setting(
        float, 20, "seconds for one attempt, from connecting to the last byte", least=0.1, most=3600
    )
    connect: float = _setting(
        float, 5, "seconds to open a connection, TLS included", least=0.1, most=3600
    )
    silence: float = _setting(
        float, 10, "seconds without a byte, while sending or reading", least=0.1, most=3600
    )
    tries: int = _setting(
        int, 3, "retries of a read after a dropped connection, 429, 502, 503 or 504",
        least=0, most=10,  # the waits between ten take a minute
    )  # fmt: skip

    body: int = 2_000_000  # bytes of a body: the longest list at 20 kB an animal
    values: int = 30_000  # in one body: a parsed value takes 15 times its bytes in memory
    depth: int = 64  # of lists and objects within each other; Python's parser recurses
    digits: int = 400  # of one number: more than any float has, and parsing them is quadratic
    # Of one list, all its pages: a service may link them without end. Commands have no such bound.
    pages: int = 200
    list_bytes: int = 40_000_000  # 10,000 animals of 4 kB
    redirects: int = 3  # of one call, all within the service's own origin; they may go in circles
    first_wait: float = 0.5  # seconds before the second attempt at most; then doubled each time
    longest_wait: float = 8.0  # seconds, of those: a clerk waits in front of the screen
    retry_after: float = 30.0  # seconds that a service may ask for; past that the clerk decides
    connections: int = 8  # at once: a session rarely has more than three requests out
    idle: float = 4.0  # seconds that an unused connection is kept; servers drop theirs after 5


class StoreKind(Enum):
    """Where a profile's animals are stored."""

    SERVICE = "service"  # over HTTP, at base_url
    EMBEDDED = "embedded"  # in this process, in a file of the user's
    DEMO = "demo"  # in this process, in memory


class Profile(NamedTuple):
    """One store to work with: where it is, and how the header shows it."""

    name: str
    kind: StoreKind
    base_url: str  # ends in /v1; that of an embedded store is never looked up
    api_key: ApiKey
    label: str  # in the header: PRODUCTION, STAGING, DEMO …
    colour: str  # of the label; a name of COLOURS
    database: Path | None = None  # of an embedded store
    # The shop's own names; the interface has none.
    categories: Mapping[int, str] = NO_NAMES
    warnings: tuple[str, ...] = ()  # e.g. that the key travels in the clear
    proxy: str | None = None  # address of an HTTP proxy; for a service over https alone
    key_file: Path | None = None  # that has the API key; None where something else has
    key_variable: str = KEY_VARIABLE  # of the environment, by which a shell can name the key
    missing_key: str = ""  # why there is no API key yet: the app asks for it
    status: str = ""  # with which the form begins; "" is not set
    ca_file: Path | None = None  # certificates (PEM) to trust in place of the system's

    @property
    def place(self) -> str:
        """Where its animals are, in words."""
        if self.kind is StoreKind.SERVICE:
            return self.base_url
        return "in memory" if self.kind is StoreKind.DEMO else "on this machine"


class OwnCommand(NamedTuple):
    """A program on a key of the user's own, for the animals of a screen."""

    key: str  # by the name under which it arrives
    title: str
    run: tuple[str, ...]  # the program and its arguments, some of them fields of an animal
    takes_lines: bool = False  # all animals at once, as JSON Lines on standard input
    has_terminal: bool = False  # the app steps aside for it
    timeout: float = 10.0  # seconds; a program that has the terminal takes its time


COLOURS = ("red", "orange", "yellow", "green", "blue", "violet", "grey")

PROFILE = Setting(str, "embedded", "the profile that plain pettui opens")
SERVICE_SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "base_url": text("", "the service's address, ending in /v1"),
        "api_key_env": text("", "the environment variable that has the API key"),
        "api_key_file": text("", "instead: a file that only you can read"),
        "api_key_keyring": flag("instead: whether the system's keyring has it", None),
        "proxy": text("", "an HTTP proxy, for https only; the environment's proxies are not used"),
        "ca_file": text("", "certificates (PEM) to trust", unset="the system's authorities"),
    }
)
"""Of a profile that is not built in."""
LABEL_SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "label": Setting(
            str, None, "what the header shows", 1, LABEL_MAXIMUM, unset="the profile's name"
        ),
        "colour": one_of(COLOURS, "", "of the label", unset="by the profile's name"),
        "status": one_of(
            map(str, PetStatus), "", "with which the form begins, on each day", unset="not set"
        ),
    }
)
"""Of every profile, beside the table of its categories."""
COMMAND_TIMEOUT = 10.0  # seconds
COMMAND_SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "title": Setting(
            str, None, "what key bar, help and palette show", 1, LABEL_MAXIMUM, unset="an error"
        ),
        "input": one_of(
            ["jsonl"],
            "",
            "runs once, with all marked animals as JSON Lines on standard input",
            unset="once for each of them",
        ),
        "terminal": flag("whether the program has the terminal, and the app steps aside"),
        "timeout": Setting(
            float, COMMAND_TIMEOUT, "seconds until it is ended", least=0.1, most=3600
        ),
    }
)
"""Of a program on a key, beside its words (``run``)."""
DELIMITER_WORDS = "a comma, a semicolon, |, or tab"
LINE_MAXIMUM = 200_000  # of a file to import


MAPPING_SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "encoding": text("NAME", "of its characters, such as cp1252", unset="UTF-8, or UTF-16"),
        "delimiter": text("CHARACTER", f"between cells: {DELIMITER_WORDS}", unset="found out"),
        "items": text("NAME", "which list of a JSON object has the animals"),
        "sheet": text("NAME", "which sheet of a spreadsheet", unset="the first"),
        "header_line": number("N", "that names the columns", None, 1, LINE_MAXIMUM, unset="1"),
        "no_header": flag("the first line is an animal: name, category and status"),
        "column": text("FIELD=COLUMN", "name, category or status is this one", is_repeated=True),
        "category": text("CATEGORY", "of all lines: a number, or a name from the profile"),
        "category_of": text("VALUE=CATEGORY", "what a value is, or skip", is_repeated=True),
        "status_of": text("VALUE=STATUS", "what a value is, unset, or skip", is_repeated=True),
        "name_from": text("COLUMN", "what has no name is called by this column"),
        "skip_unnamed": flag("leave out what has no name"),
    }
)
"""What a person says of a file: options of an import, and what a mapping of the file keeps."""
MAPPING_HEADER = "header"  # beside them: the names of the columns, by which the app knows a file


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a user can set, read once at the start."""

    profile: Profile
    limit: int | None = _setting(
        int, None, "animals per request", unset="as many as the screen has rows",
        least=LIMIT_MINIMUM, most=LIMIT_MAXIMUM, metavar="N",
    )  # fmt: skip
    theme: str = _setting(
        str, THEMES[0].name, "colours; ansi uses the terminal's own", metavar="THEME",
        words=MappingProxyType({each.name: each.textual_name for each in THEMES}),
    )  # fmt: skip
    glyphs: Glyphs = _setting(  # noqa: RUF009 - they are frozen
        str, "auto", "characters; auto goes by locale and terminal", metavar="KIND",
        words=MappingProxyType({"auto": Glyphs.UNICODE, **{each.value: each for each in Glyphs}}),
    )  # fmt: skip
    mouse: bool = _setting(
        bool, True, "whether the mouse works; if not, the terminal selects text with it"
    )
    show_cursor: bool = _setting(
        bool, False, "show the terminal's own cursor, which is at the row in any case"
    )
    bell: bool = _setting(
        bool, True, "ring when an animal is refused, or adds wait for an API key; not in demos"
    )
    samples: bool = _setting(
        bool, True, "whether plain pettui makes a new store of your own with sample animals"
    )
    keep_list: bool = _setting(bool, True, "keep what the list showed for the next start")
    watch: float = _setting(
        float, 10, "seconds between refreshes while watching the list", least=2, most=3600
    )
    delay: float = _setting(
        float, 3, "seconds in which F8 can take back an animal before it is sent", most=60
    )
    has_latin_1: bool = False  # ASCII glyphs, but the letters of Latin-1 in texts
    colours: Colours = Colours.TRUE
    keys: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))  # action → keys
    commands: tuple[OwnCommand, ...] = ()  # programs on keys
    commands_file: Path | None = None  # that they are from, if nobody else can write it
    # Of files to import, by their names: what MAPPING_SETTINGS declares, as it is written
    mappings: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: MappingProxyType({}))
    key_variables: frozenset[str] = frozenset()  # of the environment, that hold API keys
    limits: Limits = Limits()
