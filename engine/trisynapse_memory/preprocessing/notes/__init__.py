"""What programs for notes write around Markdown: links between notes, embeds, tags, properties, names of files."""
