"""Paths and a place on the screen in, one drag of those files to wherever the pointer lets go out.

    python xdnd_source.py X Y FILE...

A square stands at (X, Y). Whoever drags it drags the files, as from a file manager. It says ``ready`` when it is there
and ``dropped`` or ``refused`` when the drag ended, and stays until its standard input closes: X asks the source for the
content after the drop, and a program that ended at once would give an empty one.
"""

from __future__ import annotations

import sys

from PySide6.QtCore import QMimeData, QSocketNotifier, Qt, QTimer, QUrl
from PySide6.QtGui import QDrag, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

SIZE = 40  # px


class Square(QWidget):
    """Something to take hold of. No window manager places it or gives it the focus."""

    def __init__(self, urls: list[QUrl]) -> None:
        super().__init__(None, Qt.WindowType.BypassWindowManagerHint | Qt.WindowType.WindowStaysOnTopHint)
        self._urls = urls
        self._dragged = False
        self.setFixedSize(SIZE, SIZE)
        self.setStyleSheet("background: #ff00ff")

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt calls it so
        if self._dragged or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        self._dragged = True
        mime = QMimeData()
        mime.setUrls(self._urls)
        drag = QDrag(self)
        drag.setMimeData(mime)
        taken = drag.exec(Qt.DropAction.CopyAction)
        self.hide()
        print("dropped" if taken == Qt.DropAction.CopyAction else "refused", flush=True)


def main(words: list[str]) -> int:
    application = QApplication(["xdnd_source"])
    application.setQuitOnLastWindowClosed(False)
    square = Square([QUrl.fromLocalFile(name) for name in words[2:]])
    square.move(int(words[0]), int(words[1]))
    square.show()
    asked_to_end = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read)
    asked_to_end.activated.connect(application.quit)
    QTimer.singleShot(200, lambda: print("ready", flush=True))
    return application.exec()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
