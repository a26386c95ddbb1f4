"""A chat template in, the frame of a prompt out: fixed words, and the places of instructions and text. Runs no model.

Templates come from a stranger's file: they are rendered by jinja2's immutable sandbox, in the child that holds the
model, and with placeholders instead of her words. So a template sees no document, and a document that spells
``<|im_end|>`` stays text: only the fixed words are read as control tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Final

from trisynapse_memory.errors import ModelFileError

CHATML: Final = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{{ '<|im_start|>assistant\n' }}"
)
"""The frame of models that know its two control words and bring no template of their own."""
CHATML_WORDS: Final = ("<|im_start|>", "<|im_end|>")

_INSTRUCTIONS: Final = "@@instructions@@"
_TEXT: Final = "@@text@@"


class Slot(Enum):
    """Where the words of a prompt stand in its frame."""

    INSTRUCTIONS = _INSTRUCTIONS
    TEXT = _TEXT


Frame = tuple[str | Slot, ...]
"""Fixed words and places, in order; joined they are the prompt."""

RenderMessages = Callable[[Sequence[dict[str, str]]], str]
"""Messages in (``role`` and ``content``), the words of the prompt out."""


def frame_of(render: RenderMessages, *, has_instructions: bool) -> Frame:
    """Lay out a prompt as its model was taught to read one.

    Gemma and some Mistral models know no system role: their template refuses it or leaves it out. Then the
    instructions stand at the head of her own turn.

    Raises:
        ModelFileError: the template cannot be rendered, or drops what is asked.
    """
    user = {"role": "user", "content": _TEXT}
    if has_instructions:
        rendered = _try(render, [{"role": "system", "content": _INSTRUCTIONS}, user])
        if rendered is None or _INSTRUCTIONS not in rendered or _TEXT not in rendered:
            rendered = _try(render, [{"role": "user", "content": f"{_INSTRUCTIONS}\n\n{_TEXT}"}])
    else:
        rendered = _try(render, [user])
    if rendered is None or _TEXT not in rendered or (has_instructions and _INSTRUCTIONS not in rendered):
        raise ModelFileError(
            "The chat template of this model cannot be used.", hint="Choose another GGUF of the same model."
        )
    return _cut(rendered)


def renderer_of(library: Any, template: str, bos: str, eos: str) -> RenderMessages | None:
    """Return what renders a template, None where it is no template.

    Args:
        library: the module ``llama_cpp.llama_chat_format``; its formatter is jinja2's immutable sandbox with the
            extensions that templates of model hubs expect.
        template: the jinja2 source.
        bos: the word that opens a text, which some templates write.
        eos: the word that ends one.
    """
    import jinja2  # comes with llama_cpp, and is needed where that is

    try:
        formatter = library.Jinja2ChatFormatter(template=template, bos_token=bos, eos_token=eos)
    except jinja2.TemplateError:
        return None

    def render(messages: Sequence[dict[str, str]]) -> str:
        # Thinking aloud costs minutes on a processor, and nothing of it would be shown.
        return str(formatter(messages=list(messages), enable_thinking=False).prompt)

    return render


def _try(render: RenderMessages, messages: Sequence[dict[str, str]]) -> str | None:
    import jinja2

    try:
        return render(messages)
    except (jinja2.TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None  # templates refuse a role with an exception of their own, as a ValueError; the rest is their fault


def _cut(rendered: str) -> Frame:
    parts: list[str | Slot] = []
    for at, piece in enumerate(rendered.split(_INSTRUCTIONS, 1)):
        if at:
            parts.append(Slot.INSTRUCTIONS)
        before, found, after = piece.partition(_TEXT)
        parts += [before, Slot.TEXT, after] if found else [before]
    return tuple(part for part in parts if part != "")
