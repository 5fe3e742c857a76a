"""Mappings of files to import, kept by name: ``[mappings.NAME]``, with an import's options."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pettui.settings.settings import MAPPING_HEADER, MAPPING_SETTINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pettui.configuration.tables import Table

_TEXTS = "must be a list of texts in quotes"


def mappings(table: Table) -> Mapping[str, Mapping[str, Any]]:
    """Return every mapping by its name; what its values mean is checked with a file.

    Raises:
        ConfigurationError: a setting of one of them cannot be used.
    """
    return MappingProxyType({name: _mapping(table.table(name)) for name in table.values})


def _mapping(table: Table) -> Mapping[str, Any]:
    table.allow((*MAPPING_SETTINGS, MAPPING_HEADER))
    values = {}
    for name, value in table.values.items():
        setting = MAPPING_SETTINGS.get(name)
        if setting is not None and not setting.is_repeated:
            values[name] = table.value(name, setting)
        elif isinstance(value, list) and all(isinstance(each, str) for each in value):
            values[name] = tuple(value)
        else:
            raise table.error(name, _TEXTS)
    return MappingProxyType(values)
