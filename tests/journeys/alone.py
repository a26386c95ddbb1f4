"""Commands on standard input, what came of them and every packet that was sent out; run in a network of its own.

``unshare -n -r python alone.py``: the namespace is new, so its counters begin at zero and count nobody else.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SENT = {"OutRequests", "OutNoRoutes", "OutDiscards", "ActiveOpens", "OutSegs", "OutDatagrams", "OutMsgs"}


def packets() -> int:
    """Add up what this namespace has sent or tried to send, over IPv4 and IPv6 and on every device."""
    names, values = [], []
    for number, line in enumerate(Path("/proc/net/snmp").read_text().splitlines()):
        (values if number % 2 else names).extend(line.split()[1:])
    total = sum(int(value) for name, value in zip(names, values, strict=True) if name in SENT)
    for line in Path("/proc/net/snmp6").read_text().splitlines():
        name, value = line.split()
        total += int(value) if any(name.endswith(sent) for sent in SENT) else 0
    for line in Path("/proc/net/dev").read_text().splitlines()[2:]:
        total += int(line.split(":")[1].split()[9])
    return total


before = packets()
done = [
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False)
    for command in json.load(sys.stdin)
]
said = [{"code": one.returncode, "out": one.stdout, "err": one.stderr} for one in done]
print(json.dumps({"said": said, "before": before, "packets": packets() - before}))
