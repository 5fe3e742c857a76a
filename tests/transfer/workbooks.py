"""Spreadsheets, written by hand: as programs write them, and as none would."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Final
from zipfile import ZIP_DEFLATED, ZipFile

if TYPE_CHECKING:
    from collections.abc import Mapping

_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_TYPES: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml"
HEADER: Final = ("name", "category", "status")


def cell(text: str, where: str = "") -> str:
    place = f' r="{where}"' if where else ""
    return f'<c{place} t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


def number(value: str, attributes: str = "") -> str:
    return f"<c{attributes}><v>{value}</v></c>"


def row(*cells: str, attributes: str = "") -> str:
    return f"<row{attributes}>{''.join(cells)}</row>"


def head() -> str:
    return row(*map(cell, HEADER))


def members(
    sheets: Mapping[str, str], *, before: str = "", prologue: str = "", states: Mapping[str, str]
) -> dict[str, str]:
    numbered = [*enumerate(sheets.items(), start=1)]
    named = "".join(
        f'<sheet name="{name}" sheetId="{n}" {states.get(name, "")} r:id="rId{n}"/>'
        for n, (name, _) in numbered
    )
    related = "".join(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n, _ in numbered
    )
    styles = "".join(f'<xf numFmtId="{each}"/>' for each in (0, 14, 46))
    return {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="{_TYPES}.worksheet+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPES}.sheet.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
        f"<sheets>{named}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'{related}<Relationship Id="rId99" Type="{_OFFICE}/styles" Target="styles.xml"/>'
        "</Relationships>",
        "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><cellXfs>{styles}</cellXfs></styleSheet>',
        **{
            f"xl/worksheets/sheet{n}.xml": f'{prologue}<worksheet xmlns="{_MAIN}">{before}'
            f"<sheetData>{rows}</sheetData></worksheet>"
            for n, (_, rows) in numbered
        },
    }


def xlsx(
    *rows: str,
    before: str = "",
    prologue: str = "",
    others: Mapping[str, str] = {},
    states: Mapping[str, str] = {},
) -> bytes:
    """Return a workbook whose first sheet, Animals, has these rows.

    Args:
        rows: each an element.
        before: what stands before all of them.
        prologue: before the element of the sheet.
        others: further sheets by name.
        states: attributes of sheets by name.
    """
    sheets = {"Animals": "".join(rows), **others}
    return zipped(members(sheets, before=before, prologue=prologue, states=states))


def zipped(content: Mapping[str, str]) -> bytes:
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    return file.getvalue()


def with_huge_sheet(begin: str, repeated: str, times: int, end: str, *, says: int | None) -> bytes:
    """Return a workbook whose sheet has something many times, compressed without holding it.

    Args:
        begin: of the rows.
        repeated: what stands there many times.
        times: how often.
        end: of the rows.
        says: how large the directory says that the sheet is; None for the truth.
    """
    parts = members({"Animals": "@"}, states={})
    name = "xl/worksheets/sheet1.xml"
    before, after = parts.pop(name).split("@")
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        for other, text in parts.items():
            archive.writestr(other, text)
        with archive.open(name, "w") as member:
            member.write((before + begin).encode())
            for _ in range(times // 10_000):
                member.write(repeated.encode() * 10_000)
            member.write((end + after).encode())
        size = archive.getinfo(name).file_size
    told = size if says is None else says
    return file.getvalue().replace(size.to_bytes(4, "little"), told.to_bytes(4, "little"))


_ODS: Final = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
)


def ods_cell(text: str, attributes: str = "") -> str:
    inside = f"<text:p>{text}</text:p>"
    return f'<table:table-cell office:value-type="string"{attributes}>{inside}</table:table-cell>'


def ods_row(*cells: str, attributes: str = "") -> str:
    return f"<table:table-row{attributes}>{''.join(cells)}</table:table-row>"


def ods(*rows: str, prologue: str = "") -> bytes:
    """Return a spreadsheet of OpenDocument whose only sheet has these rows."""
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    return zipped(
        {
            "mimetype": kind,
            "META-INF/manifest.xml": '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:'
            'opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" '
            f'manifest:media-type="{kind}"/></manifest:manifest>',
            "content.xml": f"{prologue}<office:document-content {_ODS}><office:body>"
            f'<office:spreadsheet><table:table table:name="Animals">{"".join(rows)}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        }
    )
