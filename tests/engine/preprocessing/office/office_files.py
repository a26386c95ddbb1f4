"""Markup of parts in, the bytes of office files out: what the tests of the office room read."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
STRICT_W = 'xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
MC = (
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)
TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
WORD_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
SLIDE_MAIN = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
SHEET_MAIN = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"


def package(parts: Mapping[str, str | bytes], *, stored: tuple[str, ...] = ()) -> bytes:
    """Write a zip file with these parts in this order; ``stored`` ones are not packed."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            way = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            # A fixed time, so that the same parts are the same file.
            entry = zipfile.ZipInfo(name, (2024, 2, 10, 0, 0, 0))
            entry.compress_type = way
            archive.writestr(entry, content)
    return file.getvalue()


def types(part: str, kind: str) -> str:
    """The list of content types, with the main part's."""
    return (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/>'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/{part}" ContentType="{kind}"/></Types>'
    )


def relations(arrows: Mapping[str, tuple[str, str]]) -> str:
    """A list of relations: id -> (last word of its type, target); a target with "://" leads out."""
    outside = ' TargetMode="External"'
    rows = "".join(
        f'<Relationship Id="{ident}" Type="{TYPE}{kind}" Target="{target}"{outside if "://" in target else ""}/>'
        for ident, (kind, target) in arrows.items()
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{rows}</Relationships>'


def core(title: str = "", creator: str = "", modified: str = "2024-02-10T09:00:00Z") -> str:
    """The core properties."""
    return (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
        f"<dc:title>{title}</dc:title><dc:creator>{creator}</dc:creator>"
        f"<dcterms:modified>{modified}</dcterms:modified></cp:coreProperties>"
    )


ROOT_ARROWS = {"c1": ("metadata/core-properties", "docProps/core.xml")}


def docx(
    body: str,
    *,
    styles: str = "",
    numbering: str = "",
    parts: Mapping[str, str | bytes] | None = None,
    arrows: Mapping[str, tuple[str, str]] | None = None,
    properties: str = "",
    main: str = "word/document.xml",
    space: str = W,
) -> bytes:
    """Write a Word document; ``parts`` and ``arrows`` are further parts and where the body leads to."""
    found: dict[str, str | bytes] = {
        "[Content_Types].xml": types(main, WORD_MAIN),
        "_rels/.rels": relations({"d1": ("officeDocument", main), **ROOT_ARROWS}),
        "docProps/core.xml": properties or core(),
        main: f"<w:document {space} {R} {M} {A} {MC}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": relations(
            {"s1": ("styles", "styles.xml"), "n1": ("numbering", "numbering.xml"), **(arrows or {})}
        ),
        "word/styles.xml": f"<w:styles {space}>{styles}</w:styles>",
        "word/numbering.xml": f"<w:numbering {space}>{numbering}</w:numbering>",
        **(parts or {}),
    }  # fmt: skip
    return package(found)


def p(text: str = "", style: str = "", more: str = "", run: str = "") -> str:
    """A paragraph of Word; ``more`` are further properties, ``run`` those of its letters."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    words = f'<w:r><w:rPr>{run}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>' if text else ""
    return f"<w:p><w:pPr>{named}{more}</w:pPr>{words}</w:p>"


def style(ident: str, name: str, more: str = "", *, based_on: str = "") -> str:
    """A paragraph style of Word."""
    below = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    return f'<w:style w:type="paragraph" w:styleId="{ident}"><w:name w:val="{name}"/>{below}{more}</w:style>'


def cell(content: str, more: str = "") -> str:
    """A table cell of Word; bare words become a paragraph."""
    inner = content if content.startswith("<") or not content else p(content)
    return f"<w:tc><w:tcPr>{more}</w:tcPr>{inner or p()}</w:tc>"


def table(*rows: list[str] | str) -> str:
    """A table of Word: rows of words, or rows as markup."""
    lines = (row if isinstance(row, str) else f"<w:tr>{''.join(map(cell, row))}</w:tr>" for row in rows)
    return f"<w:tbl>{''.join(lines)}</w:tbl>"


P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
C = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'


def shape(text: str, box: tuple[int, int, int, int] | None = None, kind: str | None = None, index: str = "") -> str:
    """A shape of a slide; ``box`` is left, top, width, height; ``kind`` makes it a placeholder."""
    holder = f'<p:ph type="{kind}" idx="{index}"/>' if kind is not None else ""
    place = f'<a:xfrm><a:off x="{box[0]}" y="{box[1]}"/><a:ext cx="{box[2]}" cy="{box[3]}"/></a:xfrm>' if box else ""
    lines = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in text.split("\n"))
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr>{holder}</p:nvPr></p:nvSpPr>'
        f"<p:spPr>{place}</p:spPr><p:txBody><a:bodyPr/>{lines}</p:txBody></p:sp>"
    )


def slide(shapes: str, attributes: str = "") -> str:
    """A slide, a layout or a page of notes."""
    return f"<p:sld {P} {A} {R} {attributes}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"


def pptx(
    slides: list[str],
    *,
    parts: Mapping[str, str | bytes] | None = None,
    arrows: Mapping[int, Mapping[str, tuple[str, str]]] | None = None,
    properties: str = "",
) -> bytes:
    """Write a presentation; ``arrows`` are the relations of each slide by its number."""
    listed = "".join(f'<p:sldId id="{255 + n}" r:id="s{n}"/>' for n in range(1, len(slides) + 1))
    found: dict[str, str | bytes] = {
        "[Content_Types].xml": types("ppt/presentation.xml", SLIDE_MAIN),
        "_rels/.rels": relations({"d1": ("officeDocument", "ppt/presentation.xml"), **ROOT_ARROWS}),
        "docProps/core.xml": properties or core(),
        "ppt/presentation.xml": f"<p:presentation {P} {R}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(
            {f"s{n}": ("slide", f"slides/slide{n}.xml") for n in range(1, len(slides) + 1)}
        ),
    }
    for number, content in enumerate(slides, 1):
        found[f"ppt/slides/slide{number}.xml"] = content
        if arrows and number in arrows:
            found[f"ppt/slides/_rels/slide{number}.xml.rels"] = relations(arrows[number])
    return package({**found, **(parts or {})})


def xlsx(
    sheets: Mapping[str, str],
    *,
    states: Mapping[str, str] | None = None,
    parts: Mapping[str, str | bytes] | None = None,
    properties: str = "",
) -> bytes:
    """Write a workbook: sheet name -> what stands in its worksheet element; ``states`` are hidden or veryHidden."""
    names = list(sheets)
    states = states or {}
    listed = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="s{n}" state="{states.get(name, "visible")}"/>'
        for n, name in enumerate(names, 1)
    )
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    found: dict[str, str | bytes] = {
        "[Content_Types].xml": types("xl/workbook.xml", SHEET_MAIN),
        "_rels/.rels": relations({"d1": ("officeDocument", "xl/workbook.xml"), **ROOT_ARROWS}),
        "docProps/core.xml": properties or core(),
        "xl/workbook.xml": f"<workbook {space} {R}><sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": relations(
            {f"s{n}": ("worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(names) + 1)}
            | {"st": ("styles", "styles.xml")}
        ),
        "xl/styles.xml": f'<styleSheet {space}><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
        "</styleSheet>",
    }
    for number, name in enumerate(names, 1):
        found[f"xl/worksheets/sheet{number}.xml"] = f"<worksheet {space} {R}>{sheets[name]}</worksheet>"
    return package({**found, **(parts or {})})


def rows(*lines: list[object] | None, first: int = 1) -> str:
    """The rows of a sheet: None is a blank row, "" a blank cell; a number stays one, a tuple is (number, style)."""
    made: list[str] = []
    for number, line in enumerate(lines, first):
        cells = "".join(_value(value, f"{chr(65 + place)}{number}") for place, value in enumerate(line or []))
        made.append(f'<row r="{number}">{cells}</row>' if line is not None else "")
    return f"<sheetData>{''.join(made)}</sheetData>"


def _value(value: object, place: str) -> str:
    if value == "":
        return ""
    if isinstance(value, tuple):
        return f'<c r="{place}" s="{value[1]}"><v>{value[0]}</v></c>'
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
    return f'<c r="{place}"><v>{value}</v></c>'


ODF = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (
        ("office", "office"), ("text", "text"), ("table", "table"), ("style", "style"), ("draw", "drawing"),
        ("presentation", "presentation"), ("svg", "svg-compatible"), ("meta", "meta"), ("chart", "chart"),
    )
)  # fmt: skip
ODF += ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"'


def odf(
    kind: str,
    body: str,
    *,
    automatic: str = "",
    styles: str = "",
    masters: str = "",
    meta: str = "",
    parts: Mapping[str, str | bytes] | None = None,
) -> bytes:
    """Write an OpenDocument file of a kind: text, presentation, spreadsheet."""
    return package(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "META-INF/manifest.xml": '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
            "content.xml": f"<office:document-content {ODF}><office:automatic-styles>{automatic}"
            f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}></office:body>"
            "</office:document-content>",
            "styles.xml": f"<office:document-styles {ODF}><office:styles>{styles}</office:styles>"
            f"<office:master-styles>{masters}</office:master-styles></office:document-styles>",
            "meta.xml": f"<office:document-meta {ODF}><office:meta>{meta}</office:meta></office:document-meta>",
            **(parts or {}),
        },
        stored=("mimetype",),
    )


def epub(
    chapters: Mapping[str, str],
    *,
    metadata: str = "<dc:title>A small book</dc:title>",
    nav: str = "",
    ncx: str = "",
    parts: Mapping[str, str | bytes] | None = None,
) -> bytes:
    """Write a book: file name -> body markup of a chapter."""
    manifest = "".join(
        f'<item id="i{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(chapters)
    )
    manifest += '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>' if nav else ""
    manifest += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>' if ncx else ""
    spine = "".join(f'<itemref idref="i{n}"/>' for n in range(len(chapters)))
    found: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "OEBPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        f'xmlns:opf="http://www.idpf.org/2007/opf"><metadata>{metadata}</metadata><manifest>{manifest}</manifest>'
        f'<spine toc="ncx">{spine}</spine></package>',
    }
    for name, body in chapters.items():
        found[f"OEBPS/{name}"] = body if body.startswith("<?xml") or "<html" in body else _xhtml(body)
    if nav:
        found["OEBPS/nav.xhtml"] = _xhtml(f'<nav epub:type="toc"><ol>{nav}</ol></nav>')
    if ncx:
        found["OEBPS/toc.ncx"] = f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{ncx}</navMap></ncx>'
    return package({**found, **(parts or {})}, stored=("mimetype",))


def _xhtml(body: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml" '
        f'xmlns:epub="http://www.idpf.org/2007/ops"><head><title/></head><body>{body}</body></html>'
    )
