"""The exports of ChatGPT and Claude (``conversations.json``) in, their conversations out, one at a time.

Of a conversation that branches, the branch that was shown last is read. What a reader of the service does not see
(system prompts, hidden messages, thoughts, calls of tools) is left out; what was attached as text is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

import msgspec
from msgspec import Struct

from trisynapse_memory.preprocessing.chats.turns import Broken, Conversation, Turn, decode_part, from_epoch
from trisynapse_memory.preprocessing.moments import from_iso

MAX_TURNS: Final = 100_000  # of one conversation; a chain of parents that is longer goes round in a circle
_SHOWN: Final = frozenset({"text", "multimodal_text", "code", "execution_output", "tether_quote"})
_SPEAKERS: Final = {"user": "You", "human": "You", "assistant": "Assistant", "tool": "Tool"}


class _Author(Struct):
    role: str = ""
    name: str | None = None


class _Part(Struct):
    content_type: str | None = None
    text: str | None = None


class _Content(Struct):
    content_type: str = ""
    parts: list[str | _Part | None] | None = None
    text: str | None = None


class _File(Struct):
    name: str | None = None
    file_name: str | None = None
    extracted_content: str | None = None


class _Metadata(Struct):
    is_visually_hidden_from_conversation: bool | None = None
    attachments: list[_File] | None = None


class _GptMessage(Struct):
    author: _Author | None = None
    create_time: float | None = None
    content: _Content | None = None
    metadata: _Metadata | None = None


class _Node(Struct):
    message: _GptMessage | None = None
    parent: str | None = None
    children: list[str] | None = None


class _GptConversation(Struct):
    title: str | None = None
    mapping: dict[str, _Node] = {}
    current_node: str | None = None
    conversation_id: str | None = None
    id: str | None = None


class _Block(Struct):
    type: str = ""
    text: str | None = None


class _ClaudeMessage(Struct):
    sender: str = ""
    text: str | None = None
    content: list[_Block] | None = None
    created_at: str | None = None
    attachments: list[_File] | None = None
    files: list[_File] | None = None


class _ClaudeConversation(Struct):
    uuid: str = ""
    name: str | None = None
    chat_messages: list[_ClaudeMessage] = []


_GPT: Final = msgspec.json.Decoder(_GptConversation)
_CLAUDE: Final = msgspec.json.Decoder(_ClaudeConversation)


def read_chatgpt(conversations: list[msgspec.Raw]) -> Iterator[Conversation | Broken]:
    """Yield the conversations of a ChatGPT export in its order."""
    for number, raw in enumerate(conversations, start=1):
        found = decode_part(raw, _GPT)
        if isinstance(found, str):
            yield Broken(key=f"number-{number}", title=f"Conversation {number}", reason=found)
            continue
        key = found.conversation_id or found.id or f"number-{number}"
        turns = tuple(turn for node in _branch(found) if (turn := _gpt_turn(node)) is not None)
        url = f"https://chatgpt.com/c/{key}" if found.conversation_id else ""
        yield Conversation(service="ChatGPT", key=key, title=found.title or "", url=url, turns=turns)


def _branch(conversation: _GptConversation) -> list[_Node]:
    """The nodes from the first message to the one that was shown last."""
    nodes = conversation.mapping
    here = conversation.current_node if conversation.current_node in nodes else _last_leaf(nodes)
    path: list[_Node] = []
    seen: set[str] = set()
    while here is not None and here in nodes and here not in seen and len(path) < MAX_TURNS:
        seen.add(here)
        path.append(nodes[here])
        here = nodes[here].parent
    return path[::-1]


def _last_leaf(nodes: dict[str, _Node]) -> str | None:
    leaves = [key for key, node in nodes.items() if not node.children]
    return max(leaves, key=lambda key: _time(nodes[key]), default=None)


def _time(node: _Node) -> float:
    return (node.message.create_time if node.message is not None else None) or 0.0


def _gpt_turn(node: _Node) -> Turn | None:
    message = node.message
    if message is None or message.content is None or message.content.content_type not in _SHOWN:
        return None
    role = message.author.role if message.author is not None else ""
    hidden = message.metadata is not None and message.metadata.is_visually_hidden_from_conversation
    if role not in ("user", "assistant", "tool") or hidden:
        return None
    parts = message.content.parts or []
    said = [part if isinstance(part, str) else part.text or "" for part in parts if part is not None]
    text = "\n\n".join(part.strip() for part in (*said, message.content.text or "") if part.strip())
    if message.content.content_type == "code" and text:
        text = f"```\n{text}\n```"
    files = message.metadata.attachments if message.metadata is not None else None
    return _turn(role, _with_files(text, files), from_epoch(message.create_time))


def _turn(role: str, text: str, observed_at: datetime | None) -> Turn | None:
    if not text:
        return None
    speaker = _SPEAKERS.get(role, role.title() or "Somebody")
    return Turn(speaker=speaker, role="user" if role == "human" else role, text=text, observed_at=observed_at)


def _with_files(text: str, *lists: list[_File] | None) -> str:
    """What was said, and below it the files that were attached, with their text where the export has it."""
    parts = [text]
    for one in (one for files in lists for one in files or []):
        name = one.name or one.file_name or "a file"
        parts.append(f"[attached: {name}]\n{one.extracted_content or ''}".strip())
    return "\n\n".join(part for part in parts if part)


def read_claude(conversations: list[msgspec.Raw]) -> Iterator[Conversation | Broken]:
    """Yield the conversations of a Claude export in its order."""
    for number, raw in enumerate(conversations, start=1):
        found = decode_part(raw, _CLAUDE)
        if isinstance(found, str):
            yield Broken(key=f"number-{number}", title=f"Conversation {number}", reason=found)
            continue
        turns = tuple(turn for message in found.chat_messages if (turn := _claude_turn(message)) is not None)
        key = found.uuid or f"number-{number}"
        url = f"https://claude.ai/chat/{found.uuid}" if found.uuid else ""
        yield Conversation(service="Claude", key=key, title=found.name or "", url=url, turns=turns)


def _claude_turn(message: _ClaudeMessage) -> Turn | None:
    blocks = [block.text.strip() for block in message.content or [] if block.type == "text" and block.text]
    text = "\n\n".join(blocks) or (message.text or "").strip()
    text = _with_files(text, message.attachments, message.files)
    return _turn(message.sender, text, from_iso(message.created_at or ""))
