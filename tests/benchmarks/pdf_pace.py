"""PDF files in, how fast they are read beside bare PyMuPDF and the embedder, and how much memory it takes out.

``python tests/benchmarks/pdf_pace.py FOLDER`` reads every PDF of a folder once, in one process, the way a worker does:
pages, chunks and index terms. Then it embeds a sample of the chunks with the built-in embedder, where it is installed.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from pathlib import Path

import pymupdf

from trisynapse_memory.config import Config
from trisynapse_memory.errors import TrisynapseError
from trisynapse_memory.preprocessing.chunking import chunk_page
from trisynapse_memory.preprocessing.loaders.pdf import PdfLoader
from trisynapse_memory.registry import Registry
from trisynapse_memory.text.terms import terms_of

SAMPLE = 96  # chunks that are embedded
FLOOR = 0.8  # of the slower of the two others


def main() -> int:
    """Read, embed, print; 1 where reading is slower than it may be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--embedder", default="minilm")
    options = parser.parse_args()
    gc.set_threshold(200_000, 20, 20)  # as in a worker
    config = Config()
    bare_s = read_s = 0.0
    page_count = 0
    texts: list[str] = []
    for path in sorted(options.folder.rglob("*.pdf")):
        started = time.process_time()
        count = sum(1 for page in pymupdf.open(path) if page.get_text() is not None)
        bare_s += time.process_time() - started
        started = time.process_time()
        document = PdfLoader().open(path)
        for page, sections in document.pages(1):
            for chunk in chunk_page(page, sections, lambda batch: [2 + len(text) // 4 for text in batch], config):
                terms_of(chunk.text, chunk.fields)
                texts.append(chunk.text)
        document.close()
        read_s += time.process_time() - started
        page_count += count
        print(f"{path.name}: {count} pages, {_resident_mb():.0f} MB resident")
    bare, read = page_count / bare_s, page_count / read_s
    embed = _embedding_rate(options.embedder, texts, page_count)
    print(
        f"{page_count} pages, {len(texts)} chunks: bare {bare:.0f}, read {read:.1f}, embedded {embed or 0:.1f} pages/s"
    )
    return 0 if read >= FLOOR * min(bare, embed or bare) else 1


def _embedding_rate(name: str, texts: list[str], page_count: int) -> float | None:
    """Pages a second that the embedder manages by itself."""
    try:
        embedder = Registry().load("embedder", name)()
        sample = texts[:: max(len(texts) // SAMPLE, 1)][:SAMPLE]
        embedder.embed(sample[:4])
    except (TrisynapseError, ImportError, LookupError) as error:
        print(f"no embedder: {error}")
        return None
    started = time.process_time()
    embedder.embed(sample)
    return len(sample) / (time.process_time() - started) * page_count / len(texts)


def _resident_mb() -> float:
    with Path("/proc/self/status").open() as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


if __name__ == "__main__":
    sys.exit(main())
