"""Prompts as each family of small models was taught to read them, from the templates that its files carry."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from trisynapse_memory.errors import ModelFileError
from trisynapse_memory.providers.llama.templates import CHATML, RenderMessages, Slot, frame_of, renderer_of

# As they stand in the files of these models, shortened to what a system and a user turn pass through.
TEMPLATES = {
    "smollm2": (
        "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\n"
        "You are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n' }}{% endif %}"
        "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
    ),
    "qwen3": (
        "{%- if messages[0].role == 'system' %}{{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}"
        "{%- endif %}{%- for message in messages %}{%- if message.role == 'user' %}"
        "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}{%- endif %}{%- endfor %}"
        "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}"
        "{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}"
        "{%- endif %}{%- endif %}"
    ),
    "llama3": (
        "{{- bos_token }}{%- if messages[0]['role'] == 'system' %}"
        "{%- set system_message = messages[0]['content']|trim %}{%- set messages = messages[1:] %}{%- endif %}"
        "{{- '<|start_header_id|>system<|end_header_id|>\\n\\n' }}{{- system_message }}{{- '<|eot_id|>' }}"
        "{%- for message in messages %}{{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'"
        "+ message['content'] | trim + '<|eot_id|>' }}{%- endfor %}{%- if add_generation_prompt %}"
        "{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}"
    ),
    "gemma2": (
        "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}"
        "{% endif %}{% for message in messages %}{{ '<start_of_turn>' + message['role'] + '\n'"
        " + message['content'] | trim + '<end_of_turn>\n' }}{% endfor %}"
        "{% if add_generation_prompt %}{{'<start_of_turn>model\n'}}{% endif %}"
    ),
    "phi3": (
        "{% for message in messages %}{% if message['role'] == 'system' %}{{'<|system|>\n' + message['content'] +"
        " '<|end|>\n'}}{% elif message['role'] == 'user' %}{{'<|user|>\n' + message['content'] + '<|end|>\n'}}"
        "{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% else %}{{ eos_token }}"
        "{% endif %}"
    ),
    "mistral": (
        "{{ bos_token }}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
        "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}"
        "{% if message['role'] == 'user' %}{{ '[INST] ' + message['content'] + ' [/INST]' }}{% endif %}{% endfor %}"
    ),
    "drops the system turn": (
        "{% for message in messages %}{% if message.role == 'user' %}USER: {{ message.content }}\n{% endif %}"
        "{% endfor %}ASSISTANT:"
    ),
    "chatml": CHATML,
}
RULES, T = Slot.INSTRUCTIONS, Slot.TEXT
CHATML_END = "<|im_end|>\n<|im_start|>assistant\n"
CHATML_FRAME = ("<|im_start|>system\n", RULES, "<|im_end|>\n<|im_start|>user\n", T, CHATML_END)
FRAMES = {
    "smollm2": CHATML_FRAME,
    "qwen3": (*CHATML_FRAME[:-1], CHATML_END + "<think>\n\n</think>\n\n"),
    "llama3": (
        "<s><|start_header_id|>system<|end_header_id|>\n\n",
        RULES,
        "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n",
        T,
        "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
    ),
    "gemma2": ("<s><start_of_turn>user\n", RULES, "\n\n", T, "<end_of_turn>\n<start_of_turn>model\n"),
    "phi3": ("<|system|>\n", RULES, "<|end|>\n<|user|>\n", T, "<|end|>\n<|assistant|>\n"),
    "mistral": ("<s>[INST] ", RULES, "\n\n", T, " [/INST]"),
    "drops the system turn": ("USER: ", RULES, "\n\n", T, "\nASSISTANT:"),
    "chatml": CHATML_FRAME,
}


def renderer(template: str) -> RenderMessages:
    render = renderer_of(import_module("llama_cpp.llama_chat_format"), template, "<s>", "</s>")
    assert render is not None
    return render


@pytest.mark.real
@pytest.mark.usefixtures("smollm")
@pytest.mark.parametrize("family", TEMPLATES)
def test_each_family_reads_instructions_and_text_in_its_own_frame(family: str):
    assert frame_of(renderer(TEMPLATES[family]), has_instructions=True) == FRAMES[family]


@pytest.mark.real
@pytest.mark.usefixtures("smollm")
def test_without_instructions_there_is_one_turn():
    assert frame_of(renderer(TEMPLATES["gemma2"]), has_instructions=False) == (
        "<s><start_of_turn>user\n",
        T,
        "<end_of_turn>\n<start_of_turn>model\n",
    )


@pytest.mark.real
@pytest.mark.usefixtures("smollm")
@pytest.mark.parametrize(
    "template",
    ["nothing of what was asked", "{{ raise_exception('no') }}", "{{ 1 // 0 }}", "{{ messages[9].content }}"],
)
def test_a_template_that_loses_the_question_is_refused(template: str):
    with pytest.raises(ModelFileError, match="chat template"):
        frame_of(renderer(template), has_instructions=True)


@pytest.mark.real
@pytest.mark.usefixtures("smollm")
def test_what_is_no_template_has_no_renderer():
    assert renderer_of(import_module("llama_cpp.llama_chat_format"), "{{ messages[0].content", "<s>", "</s>") is None


@pytest.mark.real
@pytest.mark.usefixtures("smollm")
def test_a_template_of_a_stranger_reaches_nothing_of_ours(tmp_path: Path):
    for attack in (
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ messages.append(1) }}",
        "{{ cycler.__init__.__globals__.os.listdir('/') }}",
    ):
        with pytest.raises(ModelFileError):
            frame_of(renderer(attack + "{{ messages[0].content }}"), has_instructions=False)
