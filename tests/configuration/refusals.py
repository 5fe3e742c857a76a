"""Settings that are refused, and why, in a line that has no key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from pettui.configuration.errors import ConfigurationError
from pettui.configuration.reading import read_settings
from pettui.text.safe import safe

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

KEY: Final = "sekrit-0123456789"
COMMAND: Final = '{ title = "Label", run = ["label-printer", "--", "{id}"] }'
SHOP: Final = """
[profiles.shop]
base_url = "https://store.example/v1"
api_key_env = "SHOP_KEY"
"""
STORE = {"base_url": "https://store.example/v1"}
KEY_IN_A_FILE = SHOP.replace('api_key_env = "SHOP_KEY"', 'api_key_file = "key"')


def refusal(options: Mapping[str, str], **environment: str) -> str:
    """Return why the settings are refused."""
    with pytest.raises(ConfigurationError) as caught:
        read_settings(options, environment)
    text = safe(str(caught.value))
    assert KEY not in text
    assert text.isprintable()
    return text


def shop_refusal(path: Path, **environment: str) -> str:
    """Return why the profile ``shop`` of a file is refused."""
    return refusal({"config": str(path), "profile": "shop"}, **environment)
