import json
import math
import os
import random
import sys
import threading
import time
import uuid
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, TypedDict, Union

from . import _exit_flush
from ._memory_queue import MAX_BATCH_BYTES, MAX_BATCH_EVENTS, Batch, MemoryQueue
from ._post import Outcome, Poster
from ._spool import Spool
from ._warnings import SvcWarning, sumUpWarnings, warnOnStandardError

__version__ = "{{VERSION}}"
SDK = "svc-events-python/" + __version__

DEFAULT_CLOSE_MS = 5_000
# 24 days, as in Node.
MAX_TIMER_MS = 2**31 - 1
FIRST_BACKOFF_S = 0.25
MAX_BACKOFF_S = 30
LOCK_RETRY_S = 1
# The default `onError` writes one line of a kind in this time.
QUIET_S = 10
LOCKED = (
    "SPOOL_LOCKED",
    "another process, or another object of this one, uses the spool folder: give each its own",
)


class SvcFailure(TypedDict):
    """A failure that `onError` gets. `code` is the code of svc's answer, or one of these:

    - NO_ANSWER: the network failed, svc took too long, or another server answered. It is tried again.
    - QUEUE_FULL: `maxQueueBytes` is used up. Reported once until svc accepts events again.
    - EVENT_INVALID, EVENT_TOO_LARGE: `track` returned False.
    - CLOSED: the time of `close` was over before svc had accepted these events.
    - SPOOL_LOCKED: another process uses the spool folder. SPOOL_FAILED: the disk refused.
    - NOT_CONFIGURED: no usable key or address. Every `track` returns False.

    `status` is the one of svc's answer; None without one. `events` are those that will never be sent again; empty
    while they are tried again.
    """

    code: str
    message: str
    status: Optional[int]
    events: List[Any]


class SvcStats(TypedDict):
    """Counts of events since the start of this process: tracked + recovered = accepted + refused + lost + queued.

    `recovered` were found in the spool; `lost` were in memory when the time of `close` was over; `dropped` are those
    for which `track` returned False; `queuedBytes` are in memory; `requests` and `retries` count HTTP requests.
    `acceptedByHour` is `accepted` by the UTC hour of svc's answer, such as 2026-11-21T09:00:00.000Z. As JSON in a
    file, `svc ledger --compare` compares it with what arrived.
    """

    tracked: int
    recovered: int
    accepted: int
    refused: int
    lost: int
    queued: int
    dropped: int
    queuedBytes: int
    requests: int
    retries: int
    acceptedByHour: Dict[str, int]


Event = Union[str, Mapping[str, Any]]


class SvcEvents:
    """Sends events in the background, each stored once. No method raises.

    - url: address of the ingestion API without /v1; SVC_INGEST_URL, else http://127.0.0.1:8080
    - key: a server key; SVC_SERVER_KEY
    - flushAt: sends as soon as this many events wait; at most 500
    - flushIntervalMs: the longest time that an event waits for others
    - maxQueueBytes: memory for events that wait. When it is full, `track` returns False
    - spool: a folder of this process alone, for `trackDurably`. Made if it does not exist
    - durable: with `spool`, every `track` is a `trackDurably`
    - gzip: compresses bodies above 1 KiB
    - timeoutMs: the longest time for one request
    - onError: called for every failure, in a thread of this library. Writes to standard error by default
    - warnings: asks svc for warnings about events that it accepts. Costs time: for development only. True by default if
      Python runs in its development mode (`python -X dev`, PYTHONDEVMODE)
    - onWarning: called for every kind of warning about a request, in a thread of this library. By default writes each
      once to standard error, at most one a minute for each code
    """

    def __init__(
        self,
        url: Optional[str] = None,
        key: Optional[str] = None,
        flushAt: int = MAX_BATCH_EVENTS,
        flushIntervalMs: float = 1_000,
        maxQueueBytes: int = 64 * 1_048_576,
        spool: Optional[str] = None,
        durable: bool = False,
        gzip: bool = True,
        timeoutMs: float = 10_000,
        onError: Optional[Callable[[SvcFailure], Any]] = None,
        warnings: Optional[bool] = None,
        onWarning: Optional[Callable[[SvcWarning], Any]] = None,
    ) -> None:
        self._url = url or os.environ.get("SVC_INGEST_URL") or "http://127.0.0.1:8080"
        self._key = key if key is not None else os.environ.get("SVC_SERVER_KEY", "")
        self._flushAt = _bounded(flushAt, 1, MAX_BATCH_EVENTS, MAX_BATCH_EVENTS)
        self._flushIntervalS = _bounded(flushIntervalMs, 0, MAX_TIMER_MS, 1_000) / 1000
        self._maxQueueBytes = _bounded(maxQueueBytes, 0, math.inf, 64 * 1_048_576)
        self._spoolFolder = str(spool) if spool is not None else None
        self._isDurable = durable
        self._gzip = gzip
        self._timeoutS = _bounded(timeoutMs, 1, MAX_TIMER_MS, 10_000) / 1000
        self._onError = onError or _reportToStandardError()
        self._warnings = sys.flags.dev_mode if warnings is None else warnings
        self._onWarning = onWarning or warnOnStandardError()
        self._closing = False
        self._start()
        if self._poster is not None:
            if durable and spool is None:
                self._report("NOT_CONFIGURED", "durable needs a spool folder")
            _exit_flush.add(self)

    def _start(self) -> None:
        """The state of a process. A fork begins anew: what the parent has tracked is the parent's."""
        self._changed = threading.Condition(threading.RLock())
        self._memory = MemoryQueue()
        self._counts = {"tracked": 0, "accepted": 0, "refused": 0, "lost": 0, "dropped": 0, "requests": 0, "retries": 0}
        self._acceptedByHour: Dict[str, int] = {}
        self._thread: Optional[threading.Thread] = None
        # When events are sent that wait for others; None if none waits.
        self._dueAt: Optional[float] = None
        # Lines that are to be sent without waiting for more.
        self._due = 0
        self._isClosed = self._closing
        self._isAborted = self._isClosed
        self._abortAt = math.inf
        self._isFull = False
        self._isIdle = False
        self._isHurrying = False
        self._isWoken = False
        self._isSpoolTurn = False
        self._poster = self._createPoster()
        self._spool: Optional[Spool] = None
        self._spoolFailure: Optional[Tuple[str, str]] = None
        self._openAgainAt = 0.0
        if self._spoolFolder is not None and self._poster is not None and not self._isClosed:
            self._spool = Spool(self._spoolFolder, lambda error: self._report("SPOOL_FAILED", str(error)))
            with self._changed:
                self._openSpool()

    def track(
        self,
        event: Event,
        userId: Optional[str] = None,
        anonymousId: Optional[str] = None,
        properties: Optional[Mapping[str, Any]] = None,
        timestamp: Union[datetime, str, None] = None,
        insertId: Optional[str] = None,
    ) -> bool:
        """Queues an event in memory. False if it was not: the queue is full or closed, or the event is invalid.

        `event` is a name, or a mapping with the name and these fields. One of `userId` and `anonymousId` is required;
        `timestamp` is now and `insertId` a random UUID by default.
        """
        if self._isDurable:
            return self.trackDurably(event, userId, anonymousId, properties, timestamp, insertId)
        line = self._lineOf(lambda: _eventLine(event, userId, anonymousId, properties, timestamp, insertId))
        return line is not None and self._enqueue(line, False)

    def trackDurably(
        self,
        event: Event,
        userId: Optional[str] = None,
        anonymousId: Optional[str] = None,
        properties: Optional[Mapping[str, Any]] = None,
        timestamp: Union[datetime, str, None] = None,
        insertId: Optional[str] = None,
    ) -> bool:
        """Returns True when the event is on disk in the spool folder: svc then gets it even if this process is killed
        at once. False if it is not; `onError` says why."""
        line = self._lineOf(lambda: _eventLine(event, userId, anonymousId, properties, timestamp, insertId))
        return line is not None and self._store(line, False)

    def alias(
        self, link: Optional[Mapping[str, str]] = None, anonymousId: str = "", userId: str = ""
    ) -> bool:
        """Links a visitor to a user, in order with the tracked events. Returns as `track`."""
        line = self._lineOf(lambda: _aliasLine(link or {"anonymousId": anonymousId, "userId": userId}))
        if line is None:
            return False
        return self._store(line, True) if self._isDurable else self._enqueue(line, True)

    def flush(self, ms: Optional[float] = None) -> bool:
        """Sends what is queued now. True when svc has accepted or refused all of it; False if it has not within the
        time, `timeoutMs` by default. Then it stays queued."""
        with self._changed:
            memory, spool = self._memory, self._spool
            goal = (memory.added, spool.added if spool else 0)
            self._sendAll()
            return self._waitFor(
                lambda: memory.settled >= goal[0] and (spool is None or spool.settled >= goal[1]),
                _bounded(ms, 0, MAX_TIMER_MS, self._timeoutS * 1000) / 1000,
            )

    def close(self, ms: Optional[float] = None) -> bool:
        """Accepts nothing more and sends what is queued. True when all of it is settled, False if it is not within the
        time, 5,000 by default; the spool keeps its events for the next start."""
        seconds = _bounded(ms, 0, MAX_TIMER_MS, DEFAULT_CLOSE_MS) / 1000
        with self._changed:
            if self._closing:
                return self._unsettled() == 0
            self._closing = True
            self._isClosed = True
            self._abortAt = time.monotonic() + seconds
            self._hurry()
            self._sendAll()
            isDone = self._waitFor(lambda: self._unsettled() == 0, seconds)
            self._isAborted = True
            self._changed.notify_all()
            lost = [line for batch in self._memory.unsettled() if not batch.isAlias for line in batch.lines]
            self._memory.clear()
            self._counts["lost"] += len(lost)
        if self._poster is not None:
            self._poster.abort()
        if lost:
            message = "%d events were not sent in time" % len(lost)
            self._report("CLOSED", message, None, [_parse(line) for line in lost])
        if self._spool is not None:
            self._spool.close()
        _exit_flush.remove(self)
        return isDone

    def stats(self) -> SvcStats:
        with self._changed:
            counts = self._counts
            recovered = self._spool.recovered if self._spool else 0
            settled = counts["accepted"] + counts["refused"] + counts["lost"]
            return {
                "tracked": counts["tracked"],
                "recovered": recovered,
                "accepted": counts["accepted"],
                "refused": counts["refused"],
                "lost": counts["lost"],
                "queued": counts["tracked"] + recovered - settled,
                "dropped": counts["dropped"],
                "queuedBytes": self._memory.size,
                "requests": counts["requests"],
                "retries": counts["retries"],
                "acceptedByHour": dict(self._acceptedByHour),
            }

    def _afterFork(self) -> None:
        if self._spool is not None:
            self._spool.dropAfterFork()
        if self._poster is not None:
            self._poster.close()
        self._start()

    def _createPoster(self) -> Optional[Poster]:
        try:
            if not self._key or not all("!" <= each <= "~" for each in self._key):
                raise ValueError("SVC_SERVER_KEY is not set, or is no key")
            headers = {
                "authorization": "Bearer " + self._key,
                "content-type": "application/json",
                "user-agent": SDK,
            }
            return Poster(self._url, headers, self._timeoutS, self._gzip)
        except Exception as error:
            self._report("NOT_CONFIGURED", str(error))
            return None

    def _openSpool(self) -> None:
        """Repeated while another process has the folder: the one before this may be about to end."""
        spool = self._spool
        if spool is None or time.monotonic() < self._openAgainAt:
            return
        self._openAgainAt = time.monotonic() + LOCK_RETRY_S
        try:
            self._spoolFailure = None if spool.open() else LOCKED
        except Exception as error:
            self._spoolFailure = ("SPOOL_FAILED", str(error))
        if self._spoolFailure is None:
            self._openAgainAt = math.inf
        # The thread tries again.
        if self._spoolFailure is not None or spool.length > 0:
            self._schedule()

    def _lineOf(self, make: Callable[[], bytes]) -> Optional[bytes]:
        if not self._isClosed and self._poster is not None:
            try:
                line = make()
                if len(line) < MAX_BATCH_BYTES:
                    return line
                self._report("EVENT_TOO_LARGE", "an event has more than %d bytes" % MAX_BATCH_BYTES)
            except Exception as error:
                self._report("EVENT_INVALID", str(error))
        self._drop()
        return None

    def _drop(self) -> None:
        with self._changed:
            self._counts["dropped"] += 1

    def _enqueue(self, line: bytes, isAlias: bool) -> bool:
        with self._changed:
            if self._isClosed:
                self._drop()
                return False
            if self._memory.size + len(line) <= self._maxQueueBytes:
                self._memory.add(line, isAlias)
                self._counts["tracked"] += not isAlias
                self._schedule()
                return True
            self._drop()
            isFirst = not self._isFull
            self._isFull = True
        if isFirst:
            self._report("QUEUE_FULL", "events wait in %d bytes of memory" % self._memory.size)
        return False

    def _store(self, line: bytes, isAlias: bool) -> bool:
        with self._changed:
            self._openSpool()
            spool, failure = self._spool, self._spoolFailure
        if spool is None:
            self._report("NOT_CONFIGURED", "durable events need the option spool")
        elif failure is not None:
            self._report(*failure)
        elif spool.pendingSize + len(line) > self._maxQueueBytes:
            self._report("QUEUE_FULL", "the disk is slower than the events")
        elif spool.append(line):
            with self._changed:
                self._counts["tracked"] += not isAlias
                self._schedule()
            return True
        self._drop()
        return False

    def _waiting(self) -> int:
        return self._memory.length + (self._spool.length if self._spool else 0)

    def _unsettled(self) -> int:
        spool = self._spool
        return self._memory.added - self._memory.settled + (spool.added - spool.settled if spool else 0)

    def _schedule(self) -> None:
        if self._dueAt is None:
            self._dueAt = time.monotonic() + self._flushIntervalS
            self._startThread()
        elif not self._isIdle or self._waiting() < self._flushAt:
            return
        if self._isIdle:
            self._changed.notify_all()

    def _sendAll(self) -> None:
        self._due = self._waiting()
        if self._due > 0:
            self._startThread()
        self._changed.notify_all()

    def _hurry(self) -> None:
        """The process is about to end: tries at once and more often. Keeps to a Retry-After."""
        self._isHurrying = True
        self._isWoken = True
        self._changed.notify_all()

    def _startThread(self) -> None:
        if self._thread is not None or self._isAborted:
            return
        thread = threading.Thread(target=self._run, name="svc-events", daemon=True)
        try:
            thread.start()
            self._thread = thread
            _exit_flush.beforeProcessEnds()
        except RuntimeError:
            pass  # The interpreter is ending: `close` sends in its own thread.

    def _waitFor(self, isDone: Callable[[], bool], seconds: float) -> bool:
        if isDone() or self._thread is threading.current_thread():
            return isDone()
        if self._thread is None:
            self._run()
            return isDone()
        self._changed.wait_for(lambda: isDone() or self._isAborted, seconds)
        return isDone()

    def _run(self) -> None:
        while True:
            with self._changed:
                taken = self._await()
            if taken is None:
                return
            queue, batch = taken
            try:
                unsent = self._deliver(batch.isAlias, batch.lines)
            except Exception as error:  # Never ends the thread.
                self._report("EVENT_INVALID", repr(error))
                unsent = []
            with self._changed:
                if self._isAborted:
                    return
                if not unsent:
                    queue.settle(batch)
                self._changed.notify_all()

    def _await(self) -> Optional[Tuple[Any, Batch]]:
        """Waits until a batch is due. None if there will be none."""
        while not self._isAborted:
            now = time.monotonic()
            self._openSpool()
            waiting = self._waiting()
            if waiting >= self._flushAt or self._isClosed or (self._dueAt is not None and now >= self._dueAt):
                self._due = waiting
                self._dueAt = None
            if self._due > 0:
                taken = self._takeNext()
                if taken is not None:
                    self._due -= len(taken[1].lines)
                    return taken
                self._due = 0
            if self._isClosed:
                return None
            if waiting == 0:
                self._dueAt = None
            elif self._dueAt is None:
                self._dueAt = now + self._flushIntervalS
            until = min(self._dueAt or math.inf, self._openAgainAt if self._spool else math.inf)
            self._isIdle = True
            self._changed.wait(None if until == math.inf else max(0.001, min(until - now, 3_600)))
            self._isIdle = False
        return None

    def _takeNext(self) -> Optional[Tuple[Any, Batch]]:
        """Memory and spool in turns."""
        self._isSpoolTurn = not self._isSpoolTurn
        queues: List[Any] = [self._memory, self._spool]
        for queue in reversed(queues) if self._isSpoolTurn else queues:
            try:
                batch = queue.take() if queue is not None else None
                if batch is not None:
                    return queue, batch
            except Exception as error:
                self._report("SPOOL_FAILED", str(error))
        return None

    def _deliver(self, isAlias: bool, lines: List[bytes]) -> List[bytes]:
        """Sends lines until each is accepted or refused. Returns the rest if the time of `close` is over."""
        attempt = 0
        while lines:
            outcome = self._post(isAlias, lines)
            if self._isAborted or time.monotonic() >= self._abortAt:
                if outcome.kind != "accepted":
                    return lines
            if outcome.kind == "accepted":
                if not isAlias:
                    self._countAccepted(len(lines))
                self._isFull = False
                if self._warnings and not isAlias:
                    self._warn(outcome.warnings, lines)
                return []
            if outcome.kind == "failed":
                self._count("retries", 1)
                self._report(outcome.code, outcome.message, outcome.status)
                self._pause(outcome.waitS, attempt)
                if self._isAborted or time.monotonic() >= self._abortAt:
                    return lines
                attempt += 1
                continue
            attempt = 0
            if not outcome.named and len(lines) > 1:
                middle = len(lines) // 2
                unsent = self._deliver(isAlias, lines[:middle])
                if unsent:
                    return unsent + lines[middle:]
                lines = lines[middle:]
                continue
            lines = self._refuse(isAlias, lines, outcome)
        return []

    def _post(self, isAlias: bool, lines: List[bytes]) -> Outcome:
        self._count("requests", 1)
        if self._poster is None:
            return Outcome("failed")
        timeoutS = self._abortAt - time.monotonic()
        if isAlias:
            return self._poster.post("/v1/alias", lines[0], None, timeoutS)
        head = '{"sentAt":"%s","events":[' % _isoTime(None)
        body = head.encode() + b",".join(lines) + b"]}"
        path = "/v1/events?warnings=true" if self._warnings else "/v1/events"
        return self._poster.post(path, body, len(lines), timeoutS)

    def _refuse(self, isAlias: bool, lines: List[bytes], outcome: Outcome) -> List[bytes]:
        """Reports the lines that svc names, or the only one. Returns the others."""
        named = outcome.named or {index: outcome.message for index in range(len(lines))}
        for index, line in enumerate(lines):
            if index in named:
                self._report(outcome.code, named[index], outcome.status, [_parse(line)])
        rest = [line for index, line in enumerate(lines) if index not in named]
        # Names of events that are not in the request would repeat it for ever.
        if len(rest) == len(lines):
            rest = []
        self._count("refused", 0 if isAlias else len(lines) - len(rest))
        return rest

    def _pause(self, retryAfterS: float, attempt: int) -> None:
        """Full jitter, so that clients do not all return at once. `_hurry` ends it."""
        most = min(MAX_BACKOFF_S, FIRST_BACKOFF_S * 2 ** (1 if self._isHurrying else min(attempt, 20)))
        earliest = time.monotonic() + retryAfterS
        end = min(earliest + random.random() * most, self._abortAt)
        with self._changed:
            self._isWoken = False
            while not self._isAborted:
                now = time.monotonic()
                end = min(end, self._abortAt)
                if now >= end or (self._isWoken and now >= earliest):
                    return
                self._changed.wait(end - now)

    def _countAccepted(self, events: int) -> None:
        hour = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:00:00.000Z")
        with self._changed:
            self._acceptedByHour[hour] = self._acceptedByHour.get(hour, 0) + events
            self._counts["accepted"] += events

    def _count(self, name: str, more: int) -> None:
        with self._changed:
            if not self._isAborted:
                self._counts[name] += more

    def _warn(self, answered: Any, lines: List[bytes]) -> None:
        try:
            for warning in sumUpWarnings(answered, lambda index: str(_parse(lines[index])["event"])):
                self._onWarning(warning)
        except Exception:
            pass  # A failing handler must not stop the events.

    def _report(
        self, code: str, message: str, status: Optional[int] = None, events: Optional[List[Any]] = None
    ) -> None:
        try:
            self._onError({"code": code, "message": message, "status": status, "events": events or []})
        except Exception:
            pass  # A failing error handler must not stop the events.


def _eventLine(
    event: Event,
    userId: Optional[str],
    anonymousId: Optional[str],
    properties: Optional[Mapping[str, Any]],
    timestamp: Union[datetime, str, None],
    insertId: Optional[str],
) -> bytes:
    given: Mapping[str, Any] = {"event": event} if isinstance(event, str) else event
    # The spool tells events from links by the first field.
    fields = {
        "insertId": given.get("insertId", insertId) or str(uuid.uuid4()),
        "timestamp": _isoTime(given.get("timestamp", timestamp)),
        "event": given["event"],
        "userId": given.get("userId", userId),
        "anonymousId": given.get("anonymousId", anonymousId),
        "properties": given.get("properties", properties),
        "sdkVersion": given.get("sdkVersion", SDK),
    }
    return _encode({name: value for name, value in fields.items() if value is not None})


def _aliasLine(link: Mapping[str, str]) -> bytes:
    return _encode({"anonymousId": str(link["anonymousId"]), "userId": str(link["userId"])})


def _encode(value: Any) -> bytes:
    # Raises ValueError for what JSON cannot hold: cycles, NaN, half a surrogate pair.
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_plain)
    return text.encode("utf-8")


def _plain(value: Any) -> Any:
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, (uuid.UUID, Decimal)):
        return str(value)
    raise TypeError("a %s is not JSON" % type(value).__name__)


def _isoTime(time: Union[datetime, str, None]) -> str:
    """A time without a zone is local."""
    if isinstance(time, str):
        return time
    if time is not None and not isinstance(time, datetime):
        raise TypeError("timestamp is neither a datetime nor a text")
    utc = datetime.now(timezone.utc) if time is None else time.astimezone(timezone.utc)
    return utc.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (utc.microsecond // 1000)


def _bounded(value: Any, least: float, most: float, standard: float) -> Any:
    isNumber = isinstance(value, (int, float)) and value == value
    return min(most, max(least, value)) if isNumber else standard


def _parse(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return line.decode("utf-8", "replace")  # Damaged on disk.


def _reportToStandardError() -> Callable[[SvcFailure], None]:
    reported: Dict[str, float] = {}

    def report(failure: SvcFailure) -> None:
        now = time.monotonic()
        if now - reported.get(failure["code"], -QUIET_S) >= QUIET_S:
            reported[failure["code"]] = now
            sys.stderr.write("svc-events: %s: %s\n" % (failure["code"], failure["message"]))

    return report
