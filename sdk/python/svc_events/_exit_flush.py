"""Sends the events of all clients when the process ends or gets SIGTERM, and keeps a fork from sending them too."""

import atexit
import os
import signal
import sys
import threading
import time
from typing import Any, List, Optional

# How long the end of the process may take for all clients.
EXIT_S = 5

_clients: List[Any] = []
_isInstalled = False
_exitBy: Optional[float] = None


def add(client: Any) -> None:
    global _isInstalled
    _clients.append(client)
    if not _isInstalled:
        _isInstalled = True
        atexit.register(_closeAll)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_afterFork)
    # Programs with a handler end by themselves. Only the main thread may set one.
    isMain = threading.current_thread() is threading.main_thread()
    if isMain and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _onSigterm)


def remove(client: Any) -> None:
    if client in _clients:
        _clients.remove(client)


def beforeProcessEnds() -> None:
    """Processes of `multiprocessing` end without `atexit`. Called in each that sends."""
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.Finalize(None, _closeAll, exitpriority=0)


def _closeAll() -> None:
    global _exitBy
    if _exitBy is None:
        _exitBy = time.monotonic() + EXIT_S
    for client in list(_clients):
        client.close(max(0, _exitBy - time.monotonic()) * 1000)


def _onSigterm(_signal: int, _frame: Any) -> None:
    _closeAll()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTERM)


def _afterFork() -> None:
    global _exitBy
    _exitBy = None
    for client in list(_clients):
        client._afterFork()
