"""The names of metrics that papers report, as patterns; a table, and what asks it. No sentence is read here."""

from __future__ import annotations

import re
from typing import Final

HEAD: Final = (
    r"(?:(?:macro|micro|weighted|mean|balanced|average|token|sentence)-)?"
    r"(?:accurac(?:y|ies)|precision|recall|perplexit(?:y|ies)|bleu(?:-\d)?|rouge(?:-[\dlsw]+)?|meteor|chrf\+*|comet|"
    r"f-?(?:1|2|0\.5|measure|score)s?|auroc|auprc|auc|roc[- ]auc|pr[- ]auc|miou|iou|mrr|n?dcg(?:@\d+)?|rmse|mae|mse|"
    r"mape|fid|psnr|ssim|lpips|wer|(?-i:m?AP|MAP|CER|PER|TER|EM|LAS|UAS)|exact[- ]match|"
    r"top-\d+(?:\s+(?:accuracy|error(?:\s+rate)?))?|error(?:[- ]rate)?s?|"
    r"sensitivity|specificity|kappa|correlation|dice|jaccard|r2|r²|mcc|throughput|latency|elo|eer|loss|likelihood|"
    r"coverage|success[- ]rate|win[- ]rate|(?:pass|hits?|recall|precision|map)@\d+|score|yield|purity|efficiency)"
)
METRIC: Final = (
    r"(?<![\w-])(?P<metric>(?:(?!(?:of|on|at|for|with|and|an?|the|in|to|by|is|was|are|were|only)\b)[\w@.'-]+\s+){0,3}?"
    rf"{HEAD}(?:\s+(?:score|rate|coefficient|value|index)s?)?)(?![\w-])"
)
IS_METRIC: Final = re.compile(rf"(?:an?\s+|the\s+|its\s+)?{METRIC}", re.IGNORECASE)


def is_metric(word: str) -> bool:
    """Whether a noun names a metric, alone or as the head of one ("accuracy", "F1", "rate")."""
    return re.fullmatch(rf"{HEAD}|rate|coefficient|index", word, re.IGNORECASE) is not None
