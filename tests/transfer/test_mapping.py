"""Files of other programs: nothing is read by position or by a guess; what a person says is."""

from __future__ import annotations

import io
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.transfer.files import TransferError
from pettui.transfer.lines import ImportPreview, check_import, survey_import, totals_of
from pettui.transfer.mapping import (
    ColumnMapping,
    MappingError,
    ReadingOptions,
    folded,
    merged,
    option_values,
    option_words,
    options_of,
)
from pettui.transfer.survey import Survey, UnmappedError

if TYPE_CHECKING:
    from collections.abc import Mapping


SHOP = {1: "Cats", 2: "Dogs", 3: "Guinea pigs"}
SHELTER = (
    "Animal ID;Animal Name;Owner Name;Species;Intake Status\n"
    "A1;Rex;Ann;Dog;Stray\n"
    "A2;;Bob;cat;Stray\n"
    "A3;Mimi;;Cat;Died\n"
    "A4;Tim;;Rat;available\n"
)


def read(
    content: str | bytes, name: str = "a.csv", shop: Mapping[int, str] = SHOP, **said: Any
) -> ImportPreview:
    source = io.BytesIO(content.encode() if isinstance(content, str) else content)
    return check_import(source, name, shop, options=options_of(said))


def pets(preview: ImportPreview) -> list[tuple[str, int, str | None]]:
    found = (line.new_pet for line in preview.lines)
    return [(pet.name, pet.category_id, pet.status) for pet in found]


def bad(preview: ImportPreview) -> list[tuple[int, str]]:
    return [(line.position.line, line.sentence) for line in preview.bad_lines]


def unmapped(content: str | bytes, name: str = "a.csv", **said: Any) -> Survey:
    with pytest.raises(UnmappedError) as error:
        read(content, name, **said)
    return error.value.survey


# ── nothing by position ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "content",
    [
        "Hundename;Geburtsjahr\nBello;2011\nWaldi;2012\n",
        "Rex,3,available\nMimi,1\n",
        "Rex\nMimi\n",
        "Animals in care on 1 November,,,\nname,age,status,category\nRexina,9,available,Dogs\n",
        '"Rex,3\nMimi,1\n',
    ],
)
def test_a_file_whose_first_line_is_no_header_of_ours_is_not_read(content: str) -> None:
    with pytest.raises(UnmappedError, match=r"^cannot read a\.csv: line 1 (is|cannot)") as error:
        read(content)
    assert str(error.value).isprintable()


def test_a_person_says_that_there_is_no_header() -> None:
    content = "Rex,3,available\nMimi,1\n"
    assert pets(read(content, no_header=True)) == [("Rex", 3, "available"), ("Mimi", 1, None)]
    swapped = read("3,Rex\n1,Mimi\n", no_header=True, column=["name=2", "category=1"])
    assert pets(swapped) == [("Rex", 3, None), ("Mimi", 1, None)]
    assert pets(read("Rex\nMimi\n", no_header=True, category="Dogs")) == [
        ("Rex", 2, None),
        ("Mimi", 2, None),
    ]


# ── columns ──────────────────────────────────────────────────────────────────────────────────────


def test_columns_are_named_by_name_or_number_and_names_are_joined() -> None:
    content = "First,Last,What,When\nRex,of Home,2,x\nMimi,,1,y\n"
    found = read(content, column=["name=first", "name=2", "category=What"])
    assert pets(found) == [("Rex of Home", 2, None), ("Mimi", 1, None)]
    assert found.ignored_columns == ("When",)


def test_columns_that_are_not_named_are_those_that_are_called_so() -> None:
    content = "name,Art,status\nRex,2,sold\n"
    assert pets(read(content, column=["category=Art"])) == [("Rex", 2, "sold")]
    assert pets(read(content, column=["category=Art", "status="])) == [("Rex", 2, None)]
    assert pets(read(content, category="Cats")) == [("Rex", 1, "sold")]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"column": ["name=Nmae", "category=2"]}, '"Nmae": is no column of the file, which has Pe'),
        ({"column": ["name=9", "category=2"]}, '"9": the file has 4 columns'),
        ({"column": ["name=Kind", "category=2"]}, '"Kind": is the name of 3 and 4; give the num'),
        ({"column": ["name=Pet", "category=2"], "name_from": "x"}, '--name-from "x": is no column'),
        ({"column": ["name=Pet"], "category": "Horses"}, '--category: "Horses" is not a number or'),
        (
            {"column": ["name=Pet", "category=2"], "category_of": ["Dog=Dgs"]},
            '--category-of: "Dgs"',
        ),
        ({"column": ["name=Pet", "category=2"], "header_line": 9}, "it has no line 9"),
    ],
)
def test_what_cannot_be_so_is_said_by_its_option(said: dict[str, Any], reason: str) -> None:
    with pytest.raises(TransferError) as error:
        read("Pet,What,Kind,Kind\nRex,2,a,b\n", **said)
    assert reason in str(error.value)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"column": ["name"]}, '--column "name": needs a = in it'),
        ({"column": ["id=x"]}, '--column "id": must be name=, category= or status= and a column'),
        ({"column": ["status=a", "status=b"]}, '--column "b": status can have one column'),
        (
            {"status_of": ["Stray=solld"]},
            '"solld": must be available, pending, sold, unset or skip',
        ),
        ({"status_of": ["Stray=?"]}, '"Stray": says nothing of it: write what it means in place'),
        ({"category_of": ["Dog=1", "DOG=2"]}, '--category-of "DOG": is said twice'),
        ({"category": "1", "column": ["category=a"]}, '"1": cannot stand beside a column of cat'),
        ({"column": ["name=a", "name=A"]}, '--column "a": is said to be two things'),
        ({"column": ["name=a", "category=a"]}, '--column "a": is said to be two things'),
        ({"delimiter": "x"}, '--delimiter "x": must be a comma, a semicolon, |, or tab'),
    ],
)
def test_what_an_option_cannot_be_is_said(said: dict[str, Any], reason: str) -> None:
    with pytest.raises(MappingError) as error:
        options_of(said)
    assert reason in str(error.value)


# ── values ───────────────────────────────────────────────────────────────────────────────────────

COLUMNS = ["name=Animal Name", "category=Species", "status=Intake Status"]


def test_values_mean_what_is_said_in_any_case_and_lines_are_left_out_and_counted() -> None:
    found = read(
        SHELTER,
        column=COLUMNS,
        category_of=["dog=2", "CAT=Cats", "*=3"],
        status_of=["Stray=pending", "Died=skip"],
        name_from="Animal ID",
    )
    assert pets(found) == [("Rex", 2, "pending"), ("A2", 1, "pending"), ("Tim", 3, "available")]
    assert (found.bad_lines, found.left_out) == ((), {("status", "Died"): 1})
    assert totals_of(found.lines) == {2: ["1 pending"], 1: ["1 pending"], 3: ["1 available"]}


@pytest.mark.parametrize(
    ("status_of", "expected"),
    [
        (["*=unset"], [None, "available", None]),
        (["*=sold", "=pending"], ["sold", "available", "pending"]),
        (["available=sold", "*=unset"], [None, "sold", None]),
        (["*=skip"], ["available", None]),
    ],
)
def test_a_default_is_for_values_that_mean_nothing_by_themselves(
    status_of: list[str], expected: list[str | None]
) -> None:
    content = "name,category,status\na,1,Stray\nb,1,Available\nc,1,\n"
    assert [status for *_, status in pets(read(content, status_of=status_of))] == expected


def test_an_empty_category_can_be_given_one_but_not_a_line_that_ends_before_it() -> None:
    content = "name,category\nRex,\nMimi\n"
    found = read(content, category_of=["=3"])
    assert (pets(found), bad(found)) == ([("Rex", 3, None)], [(3, "category is missing")])


# ── names in files of others ─────────────────────────────────────────────────────────────────────

WORDS_FOR_NONE = ["NA", "NULL", "N/A", "n/a", "-"]


@pytest.mark.parametrize("word", WORDS_FOR_NONE)
def test_a_word_for_no_name_is_none_where_the_header_is_not_ours(word: str) -> None:
    found = read(f"Pet,Kind\n{word},1\nNa,1\nNull,1\n", column=["name=Pet", "category=Kind"])
    assert (bad(found), [name for name, *_ in pets(found)]) == (
        [(2, "name is missing")],
        ["Na", "Null"],
    )
    ours = read(f"name,category\n{word},1\n")
    assert pets(ours) == [(word, 1, None)]


@pytest.mark.parametrize("word", ["Total", "SUMME:", "Razem", "Σύνολο", "total général", "Spolu"])
def test_a_total_below_a_list_of_others_is_no_animal(word: str) -> None:
    said = {"column": ["name=Pet", "category=Kind", "status=State"]}
    found = read(f"Pet,Kind,State\nRex,1,sold\n{word},1,\n{word},1,sold\n", **said)
    assert bad(found) == [(3, f'name "{word}" is the word of a total, and no animal\'s')]
    assert len(found.lines) == 2
    assert not read(f"name,category\n{word},1\n").bad_lines


# ── titles above, and where the file changed ─────────────────────────────────────────────────────


def test_a_file_that_changed_while_it_was_mapped_is_said() -> None:
    survey = unmapped(SHELTER)
    options = options_of({"column": COLUMNS, "category": None, "status_of": ["*=unset"]})
    source = io.BytesIO(SHELTER.encode())
    check_import(source, "a.csv", SHOP, options=options, digest=survey.digest)
    source = io.BytesIO(SHELTER.replace("Rex", "Max").encode())
    with pytest.raises(TransferError, match="it has changed since its columns were shown"):
        check_import(source, "a.csv", SHOP, options=options, digest=survey.digest)


# ── a survey, and a guess ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("header", "name", "category", "status"),
    [
        ("Animal Name,Animal Type,Outcome Status", "Animal Name", "Animal Type", "Outcome Status"),
        ("Hundename,Tierart,Zustand", "Hundename", "Tierart", "Zustand"),
        ("Nom de l'animal,Espèce,Statut", "Nom de l'animal", "Espèce", "Statut"),
        ("Nombre,Especie,Estado", "Nombre", "Especie", "Estado"),
        ("Nome,Specie,Stato", "Nome", "Specie", "Stato"),
        ("Nome do animal,Espécie,Situação", "Nome do animal", "Espécie", "Situação"),
        ("Naam,Diersoort,Toestand", "Naam", "Diersoort", "Toestand"),
        ("Imię,Gatunek,Stan", "Imię", "Gatunek", "Stan"),
        ("Όνομα,Είδος,Κατάσταση", "Όνομα", "Είδος", "Κατάσταση"),
        ("Navn,Dyreart,Tilstand", "Navn", "Dyreart", "Tilstand"),
        ("Meno,Druh,Stav", "Meno", "Druh", "Stav"),
        (
            "Sex upon Outcome,Called Name,Outcome Type,Animal Type",
            "Called Name",
            "Animal Type",
            "Outcome Type",
        ),
        ("HalterName,HundenameText,RasseText,Tierart", "HundenameText", "Tierart", None),
        ("OwnerName,petName,breed,animalType,x", "petName", "animalType", None),
    ],
)
def test_columns_are_guessed_by_their_words(
    header: str, name: str, category: str, status: str | None
) -> None:
    rows = "Rex,a,b,c,d\n" * 3
    mapping = unmapped(f"id_,{header},z\n1,{rows.replace(chr(10), chr(10) + '1,')}").guess.mapping
    assert (mapping.names, mapping.category, mapping.status) == ((name,), category, status)


@pytest.mark.parametrize(
    "content",
    [
        "name,name,category\nRex,Max,3\n",
        "name,category,category\nRex,3,1\n",
        "name,category,status,status\nRex,3,sold,available\n",
    ],
)
def test_where_two_columns_have_one_name_the_guess_says_which_it_is(content: str) -> None:
    words = option_words(unmapped(content).guess)
    assert words[::2] == ["--column"] * len(words[1::2])
    assert [pet[:2] for pet in pets(read(content, column=words[1::2]))] == [("Rex", 3)]


# ── what importers of other programs are reported to get wrong ───────────────────────────────────


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────

OBJECTS = (
    '{"data": [{"id": 7, "pet": {"name": "Rex"}, "species": "Dog", "adopted": true},'
    ' {"id": 8, "pet": {"name": null}, "species": "Cat", "adopted": false}]}'
)


def test_json_is_mapped_as_a_csv_is() -> None:
    survey = unmapped(OBJECTS, "a.json")
    assert survey.header == ("id", "pet.name", "species", "adopted")
    assert survey.columns[3].values == {"true": 1, "false": 1}
    assert option_words(survey.guess)[:4] == [
        "--column", "name=pet.name", "--column", "category=species",
    ]  # fmt: skip
    found = read(
        OBJECTS,
        "a.json",
        column=["name=pet.name", "category=species", "status=adopted"],
        category_of=["Dog=2", "Cat=1"],
        status_of=["true=sold", "false=available"],
        name_from="id",
    )
    assert pets(found) == [("Rex", 2, "sold"), ("8", 1, "available")]


# ── whatever it is, and whatever is said of it ───────────────────────────────────────────────────

PARTS = st.sampled_from(
    ["Pet", "Kind", "name", "category", ",", ";", "\t", "\n", "\r\n", '"', "'", "Rex", "3", "NA",
     "Total", "sold", "Stray", '{"Pet":"Rex","Kind":1}', '{"a":{"Pet":null},"Kind":[1]}', "[", "]",
     "null", "true", "\ufeff", "\0", "é", "sep=;\n", "\ud800"]
)  # fmt: skip
FILES = st.lists(PARTS, max_size=20).map(
    lambda parts: "".join(parts).encode("utf-8", "surrogatepass")
) | st.tuples(st.sampled_from([b"", b"\xff\xfe", b"\xfe\xff", b"[", b"{"]), st.binary()).map(
    b"".join
)
SAID = st.fixed_dictionaries(
    {},
    optional={
        "column": st.lists(
            st.sampled_from(["name=Pet", "name=1", "category=Kind", "category=2", "status=3",
                             "status=", "name=a.Pet", "category=a.b"]), max_size=3,
        ),
        "category": st.sampled_from(["3", "Dogs"]),
        "category_of": st.sampled_from([["Rex=skip"], ["*=3"], ["=1"], ["3=2", "*=skip"]]),
        "status_of": st.sampled_from([["*=unset"], ["sold=skip"], ["=sold", "true=pending"]]),
        "name_from": st.sampled_from(["Kind", "1"]),
        "skip_unnamed": st.booleans(),
        "header_line": st.integers(1, 4),
        "no_header": st.booleans(),
        "delimiter": st.sampled_from([";", "tab"]),
        "items": st.just("a"),
    },
)  # fmt: skip


@given(FILES, SAID, st.sampled_from(["a.csv", "a.json", "a.jsonl", "-"]))
def test_nothing_raises_anything_but_transfer_error(
    content: bytes, said: dict[str, Any], name: str
) -> None:
    with suppress(TransferError):
        options = options_of(said)
        with suppress(TransferError):
            survey = survey_import(io.BytesIO(content), name, SHOP, options=options)
            assert all(word.strip() or word == "" for word in option_words(survey.guess))
        found = check_import(io.BytesIO(content), name, SHOP, options=options)
        assert all(pet_name.strip() for pet_name, *_ in pets(found))
        assert all(line.reason for line in found.bad_lines)
        order = [(each.position.line, each.position.element or 0) for each in found.lines]
        assert order == sorted(set(order))


# ── as it is written and kept ────────────────────────────────────────────────────────────────────


def columns_in(mapping: ColumnMapping) -> list[str]:
    """Return the columns that are said of fields, none of which can be two."""
    return [*filter(None, (*mapping.names, mapping.category, mapping.status))]


TEXTS = st.text("Aé =*.,;?'\"", min_size=1, max_size=6).map(str.strip).filter(bool)
VALUES = st.dictionaries(TEXTS.map(str.casefold), st.sampled_from(["1", "skip"]), max_size=3)
MAPPINGS = st.builds(
    ColumnMapping,
    names=st.lists(TEXTS, max_size=2).map(tuple),
    status=st.none() | TEXTS | st.just(""),
    fixed_category=st.none() | TEXTS,
    categories=VALUES,
    statuses=st.dictionaries(TEXTS.map(str.casefold), st.sampled_from(["sold", "skip", "unset"])),
    name_from=st.none() | TEXTS,
    skips_unnamed=st.booleans(),
).filter(lambda mapping: len(columns_in(mapping)) == len({*map(folded, columns_in(mapping))}))


@given(MAPPINGS)
def test_what_is_written_as_options_says_the_same_when_it_is_read(mapping: ColumnMapping) -> None:
    options = ReadingOptions("cp1252", "\t", "animals", 3, mapping=mapping)
    assert options_of(option_values(options)) == options


def test_what_is_given_goes_before_what_was_kept() -> None:
    kept = options_of(
        {"column": COLUMNS, "category_of": ["Dog=2", "Cat=1"], "delimiter": ";", "header_line": 2}
    )
    given = options_of(
        {"column": ["name=Nick"], "category_of": ["cat=3"], "delimiter": "tab", "no_header": True}
    )
    assert option_words(merged(kept, given)) == [
        "--delimiter", "tab", "--no-header", "--column", "name=Nick",
        "--column", "category=Species", "--column", "status=Intake Status",
        "--category-of", "Dog=2", "--category-of", "cat=3",
    ]  # fmt: skip
    assert merged(kept, options_of({"category": "1"})).mapping.category is None
