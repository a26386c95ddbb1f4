"""What an entry is, between the words of the formats: tables only. The words of BibLaTeX are the common ones."""

from __future__ import annotations

from typing import Final

RIS_KINDS: Final = {
    "JOUR": "article", "EJOUR": "article", "MGZN": "article", "NEWS": "article", "ABST": "article", "INPR": "article",
    "BOOK": "book", "EBOOK": "book", "EDBOOK": "collection", "SER": "book", "CHAP": "incollection",
    "ECHAP": "incollection", "CONF": "proceedings", "CPAPER": "inproceedings", "THES": "thesis", "RPRT": "report",
    "GOVDOC": "report", "UNPB": "unpublished", "MANSCPT": "unpublished", "ELEC": "online", "BLOG": "online",
    "PAT": "patent", "DATA": "dataset", "COMP": "software", "STAND": "report", "ENCYC": "inreference",
    "DICT": "inreference", "VIDEO": "video", "SOUND": "audio", "SLIDE": "misc", "MAP": "misc", "GEN": "misc",
}  # fmt: skip

CSL_KINDS: Final = {
    "article-journal": "article", "article-magazine": "article", "article-newspaper": "article",
    "article": "unpublished", "book": "book", "chapter": "incollection", "paper-conference": "inproceedings",
    "thesis": "thesis", "report": "report", "webpage": "online", "post-weblog": "online", "post": "online",
    "patent": "patent", "dataset": "dataset", "software": "software", "manuscript": "unpublished",
    "entry-encyclopedia": "inreference", "entry-dictionary": "inreference", "motion_picture": "video",
    "broadcast": "video", "song": "audio", "standard": "report", "document": "misc",
}  # fmt: skip


ENDNOTE_KINDS: Final = {
    "Journal Article": "article", "Electronic Article": "article", "Magazine Article": "article",
    "Newspaper Article": "article", "Book": "book", "Edited Book": "collection", "Electronic Book": "book",
    "Book Section": "incollection", "Electronic Book Section": "incollection",
    "Conference Paper": "inproceedings", "Conference Proceedings": "inproceedings", "Thesis": "thesis",
    "Report": "report", "Government Document": "report", "Web Page": "online", "Blog": "online", "Patent": "patent",
    "Dataset": "dataset", "Computer Program": "software", "Manuscript": "unpublished",
    "Unpublished Work": "unpublished", "Encyclopedia": "inreference", "Film or Broadcast": "video",
}  # fmt: skip

ZOTERO_KINDS: Final = {
    "journalArticle": "article", "magazineArticle": "article", "newspaperArticle": "article", "preprint": "unpublished",
    "book": "book", "bookSection": "incollection", "conferencePaper": "inproceedings", "thesis": "thesis",
    "report": "report", "webpage": "online", "blogPost": "online", "forumPost": "online", "patent": "patent",
    "dataset": "dataset", "computerProgram": "software", "manuscript": "unpublished",
    "encyclopediaArticle": "inreference", "dictionaryEntry": "inreference", "film": "video",
    "videoRecording": "video", "audioRecording": "audio", "podcast": "audio", "presentation": "misc",
    "standard": "report", "document": "misc",
}  # fmt: skip
