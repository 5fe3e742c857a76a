"""What the options of ``pettui import`` say of a file, and what a file is shown as to say it."""

from __future__ import annotations

import shlex
from itertools import islice
from typing import TYPE_CHECKING, Final

from pettui.configuration.errors import ConfigurationError, no_such, shown_name
from pettui.text.amounts import counted
from pettui.transfer.mapping import (
    CATEGORY,
    NAME,
    OTHERS,
    STATUS,
    UNDECIDED,
    MappingError,
    ReadingOptions,
    merged,
    option_words,
    options_of,
)
from pettui.transfer.reading import ENCODINGS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from pettui.cli.output import StandardError
    from pettui.settings.settings import Settings
    from pettui.transfer.survey import Survey

_TITLES_NAMED: Final = 20


def reading_options(arguments: argparse.Namespace, settings: Settings) -> ReadingOptions:
    """Return what the options say of the file, and before that the mapping that they name."""
    saved = ReadingOptions()
    if (name := arguments.mapping) is not None:
        if name not in settings.mappings:
            reason = no_such(name, map(shown_name, settings.mappings), "mapping")
            raise ConfigurationError("--mapping", reason, value=name)
        try:
            saved = options_of(settings.mappings[name])
        except MappingError as error:
            raise ConfigurationError("--mapping", str(error), value=name) from None
    try:
        options = merged(saved, options_of(vars(arguments)))
    except MappingError as error:
        raise wrong_option(error) from None
    if (encoding := options.encoding) is not None:
        try:
            "".encode(encoding)
        except (LookupError, ValueError):  # ValueError: a NUL
            rule = f"must be one such as utf-8, {', '.join(ENCODINGS)}"
            raise ConfigurationError("--encoding", rule, value=encoding) from None
    return options


def wrong_option(error: MappingError) -> ConfigurationError:
    """Return the error of an option that cannot be so."""
    return ConfigurationError(error.option, error.reason, value=error.value)


_COLUMNS_NAMED: Final = 60
_VALUES_NAMED: Final = 20


def report_survey(survey: Survey, categories: Mapping[int, str], stderr: StandardError) -> None:
    """Print what is in the columns of a file, and a guess what they are, as options."""
    for remark in survey.remarks:
        stderr.notice(remark)
    for title in survey.titles[:_TITLES_NAMED]:
        stderr.notice(f"above the header: {title}")
    for column in survey.columns[:_COLUMNS_NAMED]:
        named = f" {column.name}" if column.name else ""
        samples = ", ".join(column.samples) or "nothing"
        stderr.notice(f"column {column.number}{named}: {samples}")
    if len(survey.columns) > _COLUMNS_NAMED:
        stderr.notice(f"{counted(len(survey.columns) - _COLUMNS_NAMED, 'column')} more")
    guess = survey.guess
    for field in (CATEGORY, STATUS):
        if values := survey.undecided(guess, field, categories):
            stderr.notice(f"unknown in {field}: {_with_counts(values)}")
    is_category_asked, words = _guess_words(survey, categories)
    if is_category_asked:
        report_categories(categories, stderr)
    written = " ".join(map(shlex.quote, words))
    fill = f", with something for each {UNDECIDED}" if UNDECIDED in written else ""
    stderr.notice(f"a guess{fill}: {written}")


def _guess_words(survey: Survey, categories: Mapping[int, str]) -> tuple[bool, list[str]]:
    """Return whether a guess asks for a category, and the guess as options."""
    guess, words = survey.guess, option_words(survey.guess)
    is_category_asked = UNDECIDED in guess.mapping.categories.values()
    for field, option, named in (
        (CATEGORY, "--category-of", guess.mapping.categories),
        (STATUS, "--status-of", guess.mapping.statuses),
    ):
        unnamed = survey.undecided(guess, field, categories).keys() - named.keys() - {""}
        if unnamed:  # a guess names only so many
            words += [option, f"{OTHERS}={UNDECIDED}"]
    if not survey.columns_of(guess, CATEGORY) and guess.mapping.fixed_category is None:
        is_category_asked = True
        words += ["--category", UNDECIDED]
    if not survey.columns_of(guess, NAME):
        words += ["--column", f"{NAME}={UNDECIDED}"]
    return is_category_asked, words


def report_categories(categories: Mapping[int, str], stderr: StandardError) -> None:
    """Print which names of categories the profile has, for whoever is to say one of them."""
    if categories:
        shown = [f"{number} {name}" for number, name in islice(categories.items(), _VALUES_NAMED)]
        more = len(categories) - len(shown)
        stderr.notice(f"categories: {', '.join(shown)}{f', and {more:,} more' if more else ''}")


def _with_counts(values: Mapping[str, int]) -> str:
    shown = [f'"{value}" {count:,}' for value, count in islice(values.items(), _VALUES_NAMED)]
    more = len(values) - len(shown)
    return ", ".join(shown) + (f", and {more:,} more" if more else "")
