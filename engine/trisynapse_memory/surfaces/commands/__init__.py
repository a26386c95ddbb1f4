"""One module per family of commands. Each adds its parsers and gives functions ``(options, printer) -> exit code``."""
