"""The paths of the files in a folder or archive in, pages that list them out: what makes it findable by those names."""

from __future__ import annotations

from collections.abc import Iterable

from trisynapse_memory.types import Modality, Page, PageVerdict, Section

PAGE_PATHS = 500  # a page of a list, about 32 KiB


def manifest_pages(paths: tuple[str, ...], about: tuple[str, ...] = ()) -> tuple[tuple[Page, tuple[Section, ...]], ...]:
    """Write a list of files as pages, one line a file.

    Args:
        paths: ``/`` between folders, in any order; they are sorted here.
        about: lines above the list, on the first page.

    Returns:
        At least one page; it says so when there is no file.
    """
    if not paths:
        return ((Page(number=1, text="", verdict=PageVerdict.EMPTY, note="holds no file that is taken in"), ()),)
    ordered = [*about, *sorted(paths, key=_place)]
    portions = (ordered[start : start + PAGE_PATHS] for start in range(0, len(ordered), PAGE_PATHS))
    return tuple(_page(number, portion) for number, portion in enumerate(portions, start=1))


def _page(number: int, paths: Iterable[str]) -> tuple[Page, tuple[Section, ...]]:
    text = "\n".join(paths)
    page = Page(number=number, text=text, verdict=PageVerdict.OK, method="manifest")
    return page, (Section(start=0, end=len(text), modality=Modality.STRUCTURED),)


def _place(path: str) -> tuple[str, str]:
    return path.rpartition("/")[0], path
