"""A model file in, what asking it through our completer costs beside llama-cpp-python itself, in one run.

    python tests/benchmarks/local_model.py MODEL.gguf [--rounds N] [--tokens N]

Both have the same window, threads and batch, at the same priority, and answer the same prompts in turn, so that other
work on the machine meets both. A round is one fresh set of passages with two questions: the first is read from its
start, the second over passages that stand in the window already. Processor time of a child is the child's.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.providers.gguf import BATCH_TOKENS
from trisynapse_memory.providers.llama_cpp import LlamaCompleter, LlamaCpp
from trisynapse_memory.providers.machine import read_machine
from trisynapse_memory.types import ModelService, Prompt

LOCAL = ModelService(name="local", label="This machine", wire="llama_cpp", is_remote=False)
RULES = "Answer the question from the passages, in JSON."
SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"answer": {"type": "string"}, "passages": {"type": "array", "items": {"enum": [1, 2, 3, 4]}}},
    "required": ["answer", "passages"],
}
PASSAGE_COUNT = 4
QUESTIONS = ("Which instrument was used, and where?", "How many samples were taken, and by whom?")


class Lap(NamedTuple):
    """One reply: tokens written; to its first token and to its end, milliseconds of the clock and of the processor."""

    tokens: int
    first_ms: float
    total_ms: float
    first_cpu_ms: float
    total_cpu_ms: float


Ask = Callable[[str, dict[str, object] | None, int], Lap]


def main() -> None:
    """Measure, and print one JSON document."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=64, help="of a reply")
    wishes = parser.parse_args()
    provider = LlamaCpp(LOCAL, Egress(offline=True), lambda name: None, low_priority=False)
    try:
        completer = provider.completer(str(wishes.model.resolve()))
        ours, bare = ask_ours(completer), ask_bare(wishes.model, completer.max_tokens)
        laps: dict[str, list[Lap]] = {}
        for number in range(-1, wishes.rounds):  # the first round warms up, and is not counted
            for kind, schema in (("prose", None), ("schema", SCHEMA)):
                for who, ask in sorted((("ours", ours), ("bare", bare)), reverse=number % 2 == 0):
                    for which, question in zip(("fresh", "second"), QUESTIONS, strict=True):
                        lap = ask(passages(number * 2 + (schema is None)) + question, schema, wishes.tokens)
                        laps.setdefault(f"{kind} {which} {who}", []).extend([lap] if number >= 0 else [])
    finally:
        provider.close()
    print(json.dumps({"model": wishes.model.name, "threads": read_machine().thread_count} | report(laps), indent=2))


def passages(seed: int) -> str:
    """Return passages of about 60 words each, other ones for each seed."""
    places = ("Lake Baikal", "the Ross Sea", "Mount Etna", "the Gobi", "Lake Chad", "the Andes", "Iceland")
    tools = ("a drill", "a sonde", "a lidar", "a mass spectrometer", "a gravimeter")
    rest = "The samples were kept cold, weighed twice and compared with those of the year before; two were lost."
    return "".join(
        f"[{number}] In {1950 + (seed * 7 + number) % 70} a party of {seed % 9 + number} took {seed * 13 + number} "
        f"samples at {places[(seed + number) % 7]} with {tools[(seed * 3 + number) % 5]}. "
        f"The work was led by Dr. {chr(65 + seed % 26)}. {rest}\n"
        for number in range(1, PASSAGE_COUNT + 1)
    )


def ask_ours(completer: LlamaCompleter) -> Ask:
    """Ask through the completer, as the engine does."""

    def ask(text: str, schema: dict[str, object] | None, tokens: int) -> Lap:
        before, first_cpu_ms = child_cpu_ms(completer), 0.0

        def look(_: str) -> None:
            nonlocal first_cpu_ms
            first_cpu_ms = first_cpu_ms or child_cpu_ms(completer) - before

        prompt = Prompt(text=text, instructions=RULES, schema=schema, max_output_tokens=tokens)
        usage = completer.complete(prompt, look).usage
        total_cpu_ms = child_cpu_ms(completer) - before
        return Lap(usage.output_tokens, usage.first_token_ms, usage.total_ms, first_cpu_ms, total_cpu_ms)

    return ask


def child_cpu_ms(completer: LlamaCompleter) -> float:
    if completer.process_id is None:
        return 0.0
    times = psutil.Process(completer.process_id).cpu_times()
    return (times.user + times.system) * 1000


def ask_bare(model: Path, context_tokens: int) -> Ask:
    """Ask llama-cpp-python in this process, by its own chat call."""
    from llama_cpp import Llama

    threads = read_machine().thread_count
    llama: Any = Llama(
        str(model),
        n_ctx=context_tokens,
        n_batch=BATCH_TOKENS,
        n_ubatch=BATCH_TOKENS,
        n_threads=threads,
        n_threads_batch=threads,
        use_mmap=False,
        flash_attn=True,
        verbose=False,
    )

    def ask(text: str, schema: dict[str, object] | None, tokens: int) -> Lap:
        began, began_cpu, count = time.perf_counter(), time.process_time(), 0
        first, first_cpu = 0.0, 0.0
        stream = llama.create_chat_completion(
            messages=[{"role": "system", "content": RULES}, {"role": "user", "content": text}],
            temperature=0.0,
            repeat_penalty=1.0,
            max_tokens=tokens,
            response_format=None if schema is None else {"type": "json_object", "schema": schema},
            stream=True,
        )
        for part in stream:
            if part["choices"][0]["delta"].get("content"):
                first, first_cpu = first or time.perf_counter(), first_cpu or time.process_time()
                count += 1
        ends = (first, time.perf_counter()), (first_cpu, time.process_time())
        clock, processor = (
            [(at - start) * 1000 for at in end] for end, start in zip(ends, (began, began_cpu), strict=True)
        )
        return Lap(count, *clock, *processor)

    return ask


def report(laps: dict[str, list[Lap]]) -> dict[str, object]:
    """Return each case, and ours beside the bare ones."""
    cases: dict[str, object] = {}
    for case in sorted({name.rpartition(" ")[0] for name in laps}):
        ours, bare = (figures(laps[f"{case} {who}"]) for who in ("ours", "bare"))
        ratios = {key: round(ours[key] / bare[key], 3) for key in ours if bare[key]}
        cases[case] = {"ours": ours, "bare": bare, "ours_to_bare": ratios}
    return cases


def figures(laps: list[Lap]) -> dict[str, float]:
    """Return medians of the clock, and sums of the processor, which other work does not blur."""
    written = [(lap.tokens - 1, lap.total_ms - lap.first_ms) for lap in laps if lap.tokens > 1]
    cpu_s = sum(lap.total_cpu_ms - lap.first_cpu_ms for lap in laps) / 1000
    return {
        "first_token_ms": round(statistics.median(lap.first_ms for lap in laps), 1),
        "first_token_cpu_ms": round(statistics.mean(lap.first_cpu_ms for lap in laps), 1),
        "tokens_per_s": round(statistics.median(count / took * 1000 for count, took in written), 2),
        "tokens_per_cpu_s": round(sum(count for count, _ in written) / cpu_s, 2),
        "tokens": round(statistics.mean(lap.tokens for lap in laps), 1),
    }


if __name__ == "__main__":
    main()
