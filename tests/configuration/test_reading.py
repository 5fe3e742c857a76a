"""Arguments, environment and file → Settings: which comes first, and what is usual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pettui.configuration.errors import ConfigurationError
from pettui.configuration.reading import read_settings
from pettui.settings.settings import Colours, Glyphs, StoreKind
from pettui.text.safe import safe
from tests.configuration.refusals import KEY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.configuration.conftest import Configure

SHOP = """
[profiles.production]
base_url = "https://store.example/v1/"
api_key_env = "SHOP_KEY"
"""


def test_with_nothing_configured_it_is_the_embedded_store_with_the_usual_settings() -> None:
    settings = read_settings({}, {})
    assert settings.profile.kind is StoreKind.EMBEDDED
    assert (settings.profile.label, settings.profile.colour) == ("EMBEDDED", "green")
    assert (settings.limit, settings.theme, settings.mouse) == (None, "pettui-dark", True)
    assert (settings.delay, settings.watch, dict(settings.keys)) == (3.0, 10.0, {})


def test_the_usual_configuration_file_is_read(home: Path) -> None:
    directory = home / "pettui"
    directory.mkdir()
    (directory / "config.toml").write_text('theme = "light"')
    assert read_settings({}, {}).theme == "pettui-light"


@pytest.mark.parametrize(
    ("named", "variable"), [("SHOP_KEY", "SHOP_KEY"), ("shop.key", "PETTUI_API_KEY")]
)
def test_a_shell_can_name_the_variable_of_a_profiles_key(
    configure: Configure, named: str, variable: str
) -> None:
    path = configure(SHOP.replace("SHOP_KEY", named))
    given = {"config": str(path), "profile": "production"}
    assert read_settings(given, {named: KEY}).profile.key_variable == variable


@pytest.mark.parametrize(
    ("options", "base_url"),
    [
        ({}, "https://environment.example/v1"),
        ({"base_url": "https://option.example/v1"}, "https://option.example/v1"),
        ({"profile": "production"}, "https://store.example/v1"),
        ({"demo": True}, "http://embedded.invalid/v1"),
    ],
)
def test_an_option_comes_before_the_environment_and_that_before_the_file(
    configure: Configure, options: dict[str, str], base_url: str
) -> None:
    environment = {
        "PETTUI_CONFIG": str(configure(f'profile = "production"\n{SHOP}')),
        "PETTUI_BASE_URL": "https://environment.example/v1",
        "PETTUI_API_KEY": KEY,
        "SHOP_KEY": KEY,
    }
    assert read_settings(options, environment).profile.base_url == base_url
    if options:
        environment["PETTUI_BASE_URL"] = ""  # which is as good as not set
        assert read_settings({}, environment).profile.base_url == "https://store.example/v1"


UTF_8 = "en_US.UTF-8"
TERMINALS: list[tuple[dict[str, str], str, object]] = [
    ({}, "glyphs", Glyphs.UNICODE),
    ({"LC_CTYPE": "UTF-8"}, "glyphs", Glyphs.UNICODE),
    ({"LC_ALL": "C", "LANG": UTF_8}, "glyphs", Glyphs.ASCII),
    ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, "glyphs", Glyphs.ASCII),  # Python's own (PEP 538)
    ({"LANG": "C", "LC_CTYPE": UTF_8}, "glyphs", Glyphs.UNICODE),
    ({"LANG": "de_DE.UTF-8", "LC_CTYPE": "C"}, "glyphs", Glyphs.ASCII),
    ({"LANG": "", "LC_ALL": ""}, "glyphs", Glyphs.UNICODE),
    ({"LANG": UTF_8, "TERM": "linux"}, "glyphs", Glyphs.ASCII),
    ({"LANG": UTF_8, "TERM": "vt220"}, "glyphs", Glyphs.ASCII),
    ({"LANG": UTF_8, "TERM": "vte-256color"}, "glyphs", Glyphs.UNICODE),
    ({"LANG": UTF_8, "TERM": "linux"}, "has_latin_1", True),
    ({"LANG": "C", "TERM": "linux"}, "has_latin_1", False),
    ({"LANG": UTF_8, "TERM": "vt220"}, "has_latin_1", False),
    ({"TERM": "xterm"}, "colours", Colours.SIXTEEN),
    ({"TERM": "foot"}, "colours", Colours.MANY),
    ({"TERM": "xterm", "COLORTERM": "truecolor"}, "colours", Colours.TRUE),
    ({"TERM": "xterm-kitty"}, "colours", Colours.TRUE),
    ({"TERM": "xterm-256color", "NO_COLOR": "1"}, "colours", Colours.NONE),
    ({"TERM": "xterm-256color", "NO_COLOR": ""}, "colours", Colours.MANY),
    ({"TERM": "vt220"}, "colours", Colours.NONE),
]


@pytest.mark.parametrize(("environment", "name", "value"), TERMINALS)
def test_characters_and_colours_are_those_of_the_locale_and_the_terminal(
    environment: dict[str, str], name: str, value: object
) -> None:
    assert getattr(read_settings({}, environment), name) is value


def test_every_setting_of_the_file_is_taken_and_options_come_before_it(
    configure: Configure,
) -> None:
    path = configure(
        'limit = 100\nmouse = false\nkeep_list = false\nwatch = 2\ndelay = 0\ntheme = "ansi"\nglyphs = "ascii"\n'
        '[keys]\nrefresh = "F5, ctrl+r"\nadd = "shift+ctrl+up"\n[limits]\ndeadline = 3\ntries = 0\n'
    )
    settings = read_settings({"config": str(path)}, {})
    given = {"config": str(path), "theme": "light", "limit": "60", "glyphs": "unicode"}
    named = read_settings(given, {})
    assert (named.theme, named.limit, named.glyphs) == ("pettui-light", 60, Glyphs.UNICODE)
    assert (settings.limit, settings.mouse, settings.delay) == (100, False, 0.0)
    assert (settings.keep_list, settings.watch) == (False, 2.0)
    assert (settings.theme, settings.glyphs) == ("ansi", Glyphs.ASCII)
    assert dict(settings.keys) == {"refresh": "f5,ctrl+r", "add": "ctrl+shift+up"}
    assert (settings.limits.deadline, settings.limits.tries) == (3.0, 0)


@given(text=st.text(), field=st.sampled_from(["base_url", "limit", "theme", "glyphs", "profile"]))
def test_whatever_is_typed_is_taken_or_refused_in_one_line_that_can_be_drawn(
    text: str, field: str
) -> None:
    check_taken_or_refused({field: text}, {"PETTUI_API_KEY": KEY})


def check_taken_or_refused(options: Mapping[str, Any], environment: Mapping[str, str]) -> None:
    try:
        read_settings(options, environment)
    except ConfigurationError as error:
        line = safe(f"pettui: {error}")
        assert line.isprintable()
        assert len(line) < 1000
        assert KEY not in line


NAMES = st.sampled_from(
    ["profiles", "shop", "base_url", "api_key_env", "api_key_file", "ca_file", "proxy", "label",
     "colour", "categories", "keys", "refresh", "limits", "rows", "body", "theme", "glyphs", "mouse",
     "keep_list", "delay", "limit", "profile", "embedded", "demo", "3", KEY],
)  # fmt: skip
SCALARS = st.sampled_from(
    ["true", "1", "-1", "1.5", "nan", "-inf", "1e400", "0x" + "f" * 5_000, "1" * 5_000,
     "1979-05-27T07:32:00Z", "07:32:00", "[]", "[[]]", "{}", '""', '"dark"', '"a\\u0000b"',
     '"~nobody-at-all/x"', '"https://h/v1"', '"http://[::1"', '"/dev/zero"', KEY,
     f'"{KEY}"', f'["{KEY}"]', f"{{ {KEY} = 1 }}", f'"https://{KEY}@h/v1"', f'"https://h/{KEY}"'],
)  # fmt: skip
LINES = st.one_of(
    st.builds("{} = {}".format, st.lists(NAMES, min_size=1, max_size=3).map(".".join), SCALARS),
    st.builds("[{}]".format, st.lists(NAMES, min_size=1, max_size=3).map(".".join)),
    st.builds("[[{}]]".format, NAMES),
    st.text(max_size=20),
)


@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=100)
@given(lines=st.lists(LINES, max_size=6), name=NAMES | st.none())
def test_whatever_toml_is_taken_or_refused_in_one_line_without_a_key(
    configure: Configure, lines: list[str], name: str | None
) -> None:
    path = configure("")
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    check_taken_or_refused({"config": str(path), "profile": name}, {"SHOP": KEY})
