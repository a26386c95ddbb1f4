"""Bytes of a file in, what its loader made of it out; shared by the tests of the office room."""

from __future__ import annotations

from trisynapse_memory.registry import Registry

REGISTRY = Registry(guests=False)


class Read:
    """A document as read: heading, pages, members, and its blocks as (kind, text)."""

    def __init__(self, loader, path):
        document = REGISTRY.load("loader", loader)().open(path)
        try:
            self.heading = document.heading
            found = list(document.pages(1))
            self.members = list(document.members())
        finally:
            document.close()
        self.pages = [page for page, _ in found]
        self.sections = [(page, section) for page, sections in found for section in sections]
        self.blocks = [(section.kind, page.text[section.start : section.end]) for page, section in self.sections]
        self.texts = [text for _, text in self.blocks]
        self.hidden = "\n".join(page.hidden_text for page in self.pages)

    def section(self, words):
        """The first section that holds these words."""
        return next(section for page, section in self.sections if words in page.text[section.start : section.end])


def reader(loader, suffix, folder):
    """A function that reads the bytes of a file with one loader."""

    def read(content, name="file"):
        path = folder / f"{name}{suffix}"
        path.write_bytes(content)
        return Read(loader, path)

    return read
