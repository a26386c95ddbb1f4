"""Files and addresses in, pages, sections and chunks out; nothing here knows the log, an index or a question."""
