"""The guard below the libraries: tried in processes of its own, since a hook stays for the life of one."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from trisynapse_memory.errors import OfflineError
from trisynapse_memory.providers import offline

HEAD = """
import socket
from trisynapse_memory.errors import OfflineError
from trisynapse_memory.providers.offline import NetworkGuard, forbid_network

def refused(act):
    try:
        act()
    except OfflineError:
        return True
    except Exception:
        pass  # nobody listens there
    return False

ATTEMPTS = (
    lambda: socket.socket(),
    lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM),
    lambda: socket.create_connection(("127.0.0.1", 9)),
    lambda: socket.getaddrinfo("localhost", 80),
    lambda: socket.gethostbyname("localhost"),
    lambda: socket.getnameinfo(("127.0.0.1", 80), 0),
    lambda: __import__("urllib.request").request.urlopen("http://127.0.0.1:9/"),
    lambda: __import__("httpx").get("http://127.0.0.1:9/"),
)
"""


def run(body: str) -> str:
    code = HEAD + textwrap.dedent(body)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False, env=_environment()
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def _environment() -> dict[str, str]:
    import os

    return dict(os.environ) | {"PYTHONPATH": os.pathsep.join(part for part in sys.path if part)}


def test_a_process_that_forbids_the_network_reaches_it_by_no_library_and_for_good():
    said = run("""
        assert not any(refused(act) for act in ATTEMPTS), "the attempts must be possible before"
        forbid_network()
        assert all(refused(act) for act in ATTEMPTS)
        guard = NetworkGuard()
        guard.set(True)
        guard.set(False)
        assert all(refused(act) for act in ATTEMPTS), "another switch must not lift it"
        print("done")
    """)
    assert said == "done"


def test_a_guard_is_switched_while_the_process_runs_and_old_sockets_fall_under_it():
    said = run("""
        old = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        connecting = socket.socket()
        guard = NetworkGuard()
        assert guard.set(True) and guard.is_on
        assert all(refused(act) for act in ATTEMPTS)
        assert refused(lambda: old.sendto(b"x", ("127.0.0.1", 9)))
        assert refused(lambda: connecting.connect(("127.0.0.1", 9)))
        assert not guard.set(False)
        assert not any(refused(act) for act in ATTEMPTS)
        assert not refused(lambda: old.sendto(b"x", ("127.0.0.1", 9)))
        assert guard.set(True) and refused(ATTEMPTS[0])
        print("done")
    """)
    assert said == "done"


def test_a_locked_guard_stays_on():
    said = run("""
        guard = NetworkGuard()
        guard.lock()
        assert guard.set(False) is True
        assert all(refused(act) for act in ATTEMPTS)
        print("done")
    """)
    assert said == "done"


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux is asked")
def test_code_that_is_not_python_and_child_processes_are_walled_in_too():
    said = run("""
        import ctypes, subprocess, sys
        libc = ctypes.CDLL(None, use_errno=True)
        families = (socket.AF_INET, socket.AF_INET6, 17)
        assert libc.socket(socket.AF_INET, 1, 0) >= 0, "it must be possible before"
        import threading
        told, seen = threading.Event(), []
        older = threading.Thread(target=lambda: (told.wait(), seen.append(libc.socket(socket.AF_INET, 1, 0))))
        older.start()
        forbid_network()
        assert [libc.socket(family, 1, 0) for family in families] == [-1, -1, -1]
        assert libc.socket(socket.AF_UNIX, 1, 0) >= 0
        told.set()
        older.join()
        assert seen == [-1], "a thread from before is walled in, too"
        child = "import ctypes; print(ctypes.CDLL(None).socket(2, 1, 0))"
        print(subprocess.run([sys.executable, "-c", child], capture_output=True, text=True).stdout)
    """)
    assert said == "-1"


def test_local_sockets_work_under_the_guard():
    said = run("""
        forbid_network()
        a, b = socket.socketpair(socket.AF_UNIX)
        a.sendall(b"hello")
        print(b.recv(5).decode())
    """)
    assert said == "hello"


def test_a_child_is_told_to_stay_off_the_network_and_keeps_the_rest_of_its_environment():
    made = offline.offline_environment({"PATH": "/bin", "HF_HUB_OFFLINE": "0"})
    assert made["PATH"] == "/bin"
    assert {made[name] for name in (offline.ENVIRONMENT, "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")} == {"1"}


def test_one_request_can_be_offline_while_another_is_not():
    assert not offline.is_request_offline()
    with offline.offline_request(True):
        assert offline.is_request_offline()
        with pytest.raises(OfflineError, match="the thing"):
            offline.refuse_when_offline(False, "the thing")
    assert not offline.is_request_offline()
