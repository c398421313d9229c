"""A queue on disk: numbered files of JSON lines, each begun by one process, and the position up to which svc has
them. A line is confirmed when it is synced. Bytes after the last newline of a file were torn by a kill."""

import os
import re
import threading
from typing import Any, Callable, List, Optional, Tuple

from ._memory_queue import MAX_BATCH_BYTES, MAX_BATCH_EVENTS, Batch

# A file is removed when svc has all of it.
MAX_SEGMENT_BYTES = 8 * 1_048_576
# Of a file is read at once, unless an event is longer.
CHUNK_BYTES = 1_048_576
# Events begin with their id, links with the visitor.
ALIAS = b'{"anonymousId"'
O_BINARY = getattr(os, "O_BINARY", 0)


class _Group:
    """Lines that share one sync."""

    def __init__(self) -> None:
        self.lines: List[bytes] = []
        self.isOnDisk = False
        self.isDone = threading.Event()


class Spool:
    def __init__(self, folder: str, onFailure: Callable[[BaseException], None]) -> None:
        self._folder = folder
        self._onFailure = onFailure
        self._lock: Any = None
        self._guard = threading.RLock()
        self._writeGuard = threading.RLock()
        self._group = _Group()
        # Number, file descriptor and end of the file that this process writes.
        self._writing: Optional[Tuple[int, int]] = None
        self._end = 0
        self._nextNumber = 1
        self._reading = (0, 0)
        self._taken: Optional[Tuple[int, int]] = None
        # Bytes that are not on disk yet.
        self.pendingSize = 0
        # Lines that no batch has taken.
        self.length = 0
        # Events that an earlier process left.
        self.recovered = 0
        self.added = 0
        self.settled = 0

    def open(self) -> bool:
        """Locks the folder and finds what an earlier process left. False if another process has it.
        Raises OSError if the folder cannot be used."""
        os.makedirs(self._folder, exist_ok=True)
        # Other processes do not inherit it; a fork drops it. The lock ends with the process.
        lock = open(os.path.join(self._folder, "lock"), "ab")
        if not _lock(lock):
            lock.close()
            return False
        try:
            numbers = self._segments()
            number, offset = self._readPosition()
            self._reading = (number, offset)
            self._nextNumber = max([number, *numbers]) + 1
            for each in numbers:
                if each < number:
                    os.remove(self._pathOf(each))
                else:
                    self._countLines(each, offset if each == number else 0)
        except BaseException:
            lock.close()
            raise
        self._lock = lock
        return True

    def append(self, line: bytes) -> bool:
        """Returns when the line is synced; with False if the disk refused. Lines that arrive while the disk syncs
        are synced together, by the thread of the first."""
        with self._guard:
            group = self._group
            group.lines.append(line)
            self.pendingSize += len(line)
            isFirst = len(group.lines) == 1
        if not isFirst:
            group.isDone.wait()
            return group.isOnDisk
        with self._writeGuard:
            with self._guard:
                self._group = _Group()
            data = b"\n".join(group.lines) + b"\n"
            try:
                self._write(data)
                group.isOnDisk = True
            except OSError as error:
                self._abandonSegment()
                self._onFailure(error)
            with self._guard:
                self.pendingSize -= len(data) - len(group.lines)
                if group.isOnDisk:
                    self.length += len(group.lines)
                    self.added += len(group.lines)
            group.isDone.set()
        return group.isOnDisk

    def _write(self, data: bytes) -> None:
        if self._lock is None:
            raise OSError("the spool is closed")
        if self._writing is not None and self._end > 0 and self._end + len(data) > MAX_SEGMENT_BYTES:
            os.close(self._writing[1])
            self._writing = None
        if self._writing is None:
            number = self._nextNumber
            self._nextNumber += 1
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | O_BINARY
            with self._guard:
                self._end = 0
                self._writing = (number, os.open(self._pathOf(number), flags, 0o666))
            self._syncFolder()
        descriptor = self._writing[1]
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
        with self._guard:
            self._end += len(data)

    def _abandonSegment(self) -> None:
        """Removes what a failed write has left behind the confirmed lines; later ones go into a new file."""
        writing = self._writing
        try:
            if writing is not None:
                os.ftruncate(writing[1], self._end)
                os.close(writing[1])
        except OSError:
            pass  # The lines that remain were not confirmed. svc may get them, once.
        self._writing = None

    def take(self) -> Optional[Batch]:
        """The next lines of one kind, if there are any. The batch before must be settled."""
        with self._guard:
            while self.length > 0:
                batch = self._read()
                if batch is not None:
                    self.length -= len(batch.lines)
                    return batch
                number = self._reading[0]
                later = [each for each in self._segments() if each > number]
                if not later or (self._writing is not None and number == self._writing[0]):
                    break
                self._moveTo((later[0], 0))
            return None

    def _read(self) -> Optional[Batch]:
        """None at the end of the file."""
        number, offset = self._reading
        data = self._readFrom(number, offset, CHUNK_BYTES)
        if len(data) == CHUNK_BYTES and b"\n" not in data:
            # An event is longer.
            data = self._readFrom(number, offset, 2 * MAX_BATCH_BYTES)
        batch = Batch(False)
        start = 0
        while len(batch.lines) < MAX_BATCH_EVENTS and not batch.isAlias:
            end = data.find(b"\n", start)
            if end < 0 or (batch.lines and end + 1 > MAX_BATCH_BYTES):
                break
            isAlias = data.startswith(ALIAS, start)
            if isAlias and batch.lines:
                break
            batch.isAlias = isAlias
            batch.lines.append(data[start:end])
            start = end + 1
        if not batch.lines:
            return None
        batch.size = start
        self._taken = (number, offset + start)
        return batch

    def _readFrom(self, number: int, offset: int, size: int) -> bytes:
        if number == 0:
            return b""
        # Lines behind the end are not synced, or torn.
        if self._writing is not None and number == self._writing[0]:
            size = min(size, self._end - offset)
        if size <= 0:
            return b""
        with open(self._pathOf(number), "rb") as file:
            file.seek(offset)
            return file.read(size)

    def settle(self, batch: Batch) -> None:
        """svc has the batch: the next start goes on behind it."""
        with self._guard:
            self.settled += len(batch.lines)
            if self._taken is not None:
                self._moveTo(self._taken)
            self._taken = None

    def giveBack(self, batch: Batch) -> None:
        """The batch was given up, and is left for the next start."""
        with self._guard:
            self.length += len(batch.lines)
            self._taken = None

    def _moveTo(self, position: Tuple[int, int]) -> None:
        before = self._reading[0]
        self._reading = position
        try:
            # Not synced: after a power cut svc gets some events again, and knows them by their ids.
            path = os.path.join(self._folder, "position")
            with open(path + ".new", "w") as file:
                file.write("%d %d\n" % position)
            os.replace(path + ".new", path)
            if before not in (0, position[0]):
                os.remove(self._pathOf(before))
        except OSError as error:
            self._onFailure(error)

    def close(self) -> None:
        with self._writeGuard:
            lock, self._lock = self._lock, None
            writing, self._writing = self._writing, None
            if writing is not None:
                os.close(writing[1])
            if lock is not None:
                lock.close()

    def dropAfterFork(self) -> None:
        """The files belong to the parent, whose lock ends with it. Its guards may be held."""
        if self._lock is not None:
            self._lock.close()
        if self._writing is not None:
            os.close(self._writing[1])

    def _segments(self) -> List[int]:
        found = (re.fullmatch(r"(\d+)\.ndjson", name) for name in os.listdir(self._folder))
        return sorted(int(each[1]) for each in found if each)

    def _readPosition(self) -> Tuple[int, int]:
        try:
            with open(os.path.join(self._folder, "position")) as file:
                number, offset = file.read().split()
                return int(number), int(offset)
        except FileNotFoundError:
            return 0, 0

    def _countLines(self, number: int, offset: int) -> None:
        with open(self._pathOf(number), "rb") as file:
            file.seek(offset)
            for line in file:
                if line.endswith(b"\n"):
                    self.length += 1
                    self.added += 1
                    self.recovered += not line.startswith(ALIAS)

    def _pathOf(self, number: int) -> str:
        return os.path.join(self._folder, "%08d.ndjson" % number)

    def _syncFolder(self) -> None:
        """The name of a new file survives a power cut."""
        if os.name == "nt":
            return
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _lock(file: Any) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except (BlockingIOError, PermissionError):
        return False
