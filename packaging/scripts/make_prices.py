"""A public price list in, ``providers/wires/prices.json`` out: what well-known models cost, and their windows.

Run by hand before a release, in an environment of its own, because the product must not carry what the list needs:

    python -m venv build/prices && build/prices/bin/pip install genai-prices
    build/prices/bin/python packaging/scripts/make_prices.py

Of a price that depends on the hour the highest is kept: a budget is then never overrun. Of a price that depends on the
length of the prompt the one for short prompts is kept; ours are short.
"""

from __future__ import annotations

import json
import re
import sys
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

from genai_prices import Usage, calc_price  # not a dependency of the product
from genai_prices.data import providers

TARGET = Path(__file__).resolve().parents[2] / "engine/trisynapse_memory/providers/wires/prices.json"
SERVICES = {
    "openai": "openai",
    "anthropic": "anthropic",
    "google": "gemini",
    "mistral": "mistral",
    "deepseek": "deepseek",
}
OWN_NAMES = {"google": re.compile(r"^gem"), "mistral": re.compile(r"stral")}
"""Which models of a list a vendor serves under its own address; Google's list also has those of its cloud."""
OTHER_USES = re.compile(
    r"audio|tts|whisper|image|banana|live|realtime|transcribe|moderation|computer-use|robotics|voxtral|omni|instruct$"
    r"|^ft:|search|davinci|babbage|curie|^ada$|:free|deep-research|cyber|rosalind|-ft-"
)
TOKENS = 1000


def main() -> int:
    """Write the file; returns 0."""
    services = {SERVICES[provider.id]: rows_of(provider) for provider in providers if provider.id in SERVICES}
    # One row a line: the file is read in a review.
    lists = [
        f" {json.dumps(name)}: [\n" + ",\n".join(f"  {json.dumps(row)}" for row in rows) + "\n ]"
        for name, rows in services.items()
    ]
    source = f"genai-prices {version('genai-prices')} (MIT), by packaging/scripts/make_prices.py"
    head = {"source": source, "priced_on": datetime.now(UTC).date().isoformat()}
    text = json.dumps(head)[:-1] + ',\n"services": {\n' + ",\n".join(lists) + "\n}}\n"
    TARGET.write_text(text, encoding="utf-8")
    print(f"{TARGET.name}: {sum(map(len, services.values()))} models")
    return 0


def rows_of(provider: Any) -> list[list[Any]]:
    """Return ``[name pattern, window in tokens, input price, output price]`` per model of one vendor."""
    own = OWN_NAMES.get(provider.id)
    rows: list[list[Any]] = []
    for model in provider.models:
        if OTHER_USES.search(model.id) or (own and not own.search(model.id)):
            continue
        pattern = pattern_of(model.match)
        name = name_of(model.match) or model.id
        costs = [price_at(name, provider.id, hour) for hour in range(24)]
        if costs[0] is None:
            continue
        highest = [max(cost[side] for cost in costs if cost) for side in (0, 1)]
        rows.append([pattern, model.context_window or 0, *highest])
    return rows


def price_at(name: str, provider_id: str, hour: int) -> tuple[float, float] | None:
    """Return input and output price in dollars per million tokens at one hour of the next Monday."""
    today = datetime.now(UTC).replace(hour=hour, minute=30)
    monday = today + timedelta(days=-today.weekday() % 7)
    used = Usage(input_tokens=TOKENS, output_tokens=TOKENS)
    try:
        cost = calc_price(used, name, provider_id=provider_id, genai_request_timestamp=monday)
    except (LookupError, ValueError):
        return None
    scale = 1_000_000 / TOKENS
    return round(float(cost.input_price) * scale, 4), round(float(cost.output_price) * scale, 4)


def pattern_of(clause: Any) -> str:
    """Turn a match clause into a regular expression for ``re.match``, anchored where the clause is."""
    kind = type(clause).__name__
    if kind == "ClauseOr":
        return "|".join(pattern_of(part) for part in clause.or_)
    if kind == "ClauseAnd":
        return "".join(f"(?={pattern_of(part)})" for part in clause.and_)
    if kind == "ClauseRegex":
        return clause.regex if clause.regex.startswith("^") else f".*(?:{clause.regex})"
    field, before, after = {
        "ClauseEquals": ("equals", "", "$"),
        "ClauseStartsWith": ("starts_with", "", ""),
        "ClauseEndsWith": ("ends_with", ".*", "$"),
        "ClauseContains": ("contains", ".*", ""),
    }[kind]
    return before + re.escape(getattr(clause, field)).replace("\\-", "-") + after


def name_of(clause: Any) -> str:
    """Return one name that a clause certainly matches, or an empty text."""
    kind = type(clause).__name__
    if kind == "ClauseOr":
        return next((name for part in clause.or_ if (name := name_of(part))), "")
    return getattr(clause, "equals", "") or getattr(clause, "starts_with", "")


if __name__ == "__main__":
    sys.exit(main())
