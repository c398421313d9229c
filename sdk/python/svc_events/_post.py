"""Sends one request once, and reads the answer."""

import email.utils
import http.client
import json
import re
import socket
import ssl
import threading
import time
import zlib
from typing import Any, Dict, NamedTuple, Optional
from urllib.parse import urlsplit

GZIP_LEVEL = 1
MIN_GZIP_BYTES = 1024
MAX_ANSWER_BYTES = 1_048_576
# A longer `Retry-After` is cut, because a quota may be raised meanwhile.
MAX_RETRY_AFTER_S = 600


class Outcome(NamedTuple):
    """`kind` is "accepted", "refused" (svc would refuse it again) or "failed" (to be tried again: if it did
    arrive, each insertId is stored once)."""

    kind: str
    status: Optional[int] = None
    code: str = ""
    message: str = ""
    waitS: float = 0
    # The wrong events by their index; empty if svc names none.
    named: Dict[int, str] = {}
    # Of an answer that was asked for warnings.
    warnings: Any = None


class Poster:
    """One connection, for one thread. `abort` may come from another."""

    def __init__(self, url: str, headers: Dict[str, str], timeoutS: float, gzip: bool) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("%s is not an address of HTTP" % url)
        parts.port  # noqa: B018 - raises ValueError for a bad port
        self._parts = parts
        self._headers = headers
        self._timeoutS = timeoutS
        self._gzip = gzip
        self._connection: Optional[http.client.HTTPConnection] = None
        self._context = ssl.create_default_context() if parts.scheme == "https" else None
        self._lock = threading.Lock()

    def post(self, path: str, body: bytes, events: Optional[int], timeoutS: float) -> Outcome:
        """`events` is how many the answer must confirm; None for a link. Never raises."""
        try:
            headers = dict(self._headers)
            if self._gzip and len(body) > MIN_GZIP_BYTES:
                packer = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, 31)
                body = packer.compress(body) + packer.flush()
                headers["content-encoding"] = "gzip"
            deadline = time.monotonic() + min(timeoutS, self._timeoutS)
            return self._exchange(self._parts.path.rstrip("/") + path, body, headers, events, deadline)
        except Exception as error:
            self.close()
            return _noAnswer(None, str(error) or type(error).__name__)

    def _exchange(
        self, path: str, body: bytes, headers: Dict[str, str], events: Optional[int], deadline: float
    ) -> Outcome:
        isReused = self._connection is not None
        try:
            connection = self._connect(deadline)
            connection.request("POST", path, body, headers)
            _limit(connection, deadline)
            response = connection.getresponse()
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            # An idle connection that the server closed as the request was written.
            self.close()
            if not isReused:
                raise
            return self._exchange(path, body, headers, events, deadline)
        text = b""
        while not response.isclosed():
            _limit(connection, deadline)
            part = response.read1(65_536)
            text += part
            if len(text) > MAX_ANSWER_BYTES:
                raise ValueError("the answer is too long")
            if not part:
                if response.length:
                    raise ConnectionError("the answer was cut")
                break
        if response.will_close:
            self.close()
        return _outcomeOf(response.status, response.getheader("retry-after"), text, events)

    def _connect(self, deadline: float) -> http.client.HTTPConnection:
        if self._connection is None:
            host, port = self._parts.hostname or "", self._parts.port
            timeout = max(0.001, deadline - time.monotonic())
            if self._context is not None:
                connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                    host, port, timeout=timeout, context=self._context
                )
            else:
                connection = http.client.HTTPConnection(host, port, timeout=timeout)
            connection.connect()
            if connection.sock is not None:
                connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._connection = connection
        _limit(self._connection, deadline)
        return self._connection

    def abort(self) -> None:
        """Ends a request of another thread."""
        connection = self._connection
        try:
            if connection is not None and connection.sock is not None:
                connection.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # It has ended.

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _limit(connection: http.client.HTTPConnection, deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("no answer in time")
    if connection.sock is not None:
        connection.sock.settimeout(left)


def _outcomeOf(status: int, retryAfter: Optional[str], text: bytes, events: Optional[int]) -> Outcome:
    body = _parseObject(text)
    isOurs = isinstance(body.get("requestId"), str)
    if 200 <= status < 300:
        isReceipt = isinstance(body.get("outcome"), str) if events is None else isOurs and body.get("accepted") == events
        if isReceipt:
            return Outcome("accepted", warnings=body.get("warnings"))
        return _noAnswer(status, "the answer is not from svc: is the address right?")
    code = body["code"] if isinstance(body.get("code"), str) else "HTTP_%d" % status
    message = body["message"] if isinstance(body.get("message"), str) else text[:200].decode("utf-8", "replace")
    # A 400 without svc's body is from a proxy, and about no event. A 413 may be too: smaller batches may pass.
    if status == 413 or (isOurs and status in (400, 409)):
        return Outcome("refused", status, code, message, 0, _namedEvents(body.get("details")))
    return Outcome("failed", status, code, "svc answered %d: %s" % (status, message), _waitOf(retryAfter))


def _noAnswer(status: Optional[int], message: str) -> Outcome:
    return Outcome("failed", status, "NO_ANSWER", "no answer from svc: %s" % message)


def _parseObject(text: bytes) -> Dict[str, Any]:
    try:
        body = json.loads(text)
    except ValueError:
        return {}  # Not JSON: not from svc.
    return body if isinstance(body, dict) else {}


def _namedEvents(details: Any) -> Dict[int, str]:
    """The first message for each index of `/events/3/event`."""
    named: Dict[int, str] = {}
    for detail in details if isinstance(details, list) else []:
        found = re.match(r"/events/(\d+)(?:/|$)", str(detail.get("path")))
        if found and int(found[1]) not in named:
            named[int(found[1])] = str(detail.get("message"))
    return named


def _waitOf(retryAfter: Optional[str]) -> float:
    """`retryAfter` is in seconds, or a date."""
    if retryAfter is None:
        return 0
    try:
        wait = (
            float(retryAfter)
            if retryAfter.isdigit()
            else email.utils.parsedate_to_datetime(retryAfter).timestamp() - time.time()
        )
    except (TypeError, ValueError):
        return 0
    return min(max(wait, 0), MAX_RETRY_AFTER_S)
