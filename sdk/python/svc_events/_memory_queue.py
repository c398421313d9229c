"""Events that wait in memory."""

from collections import deque
from typing import Deque, List, Optional

# Limits of a request; svc accepts twice the bytes.
MAX_BATCH_EVENTS = 500
MAX_BATCH_BYTES = 4 * 1_048_576 - 256


class Batch:
    """Consecutive events as JSON, or one link."""

    def __init__(self, isAlias: bool) -> None:
        self.isAlias = isAlias
        self.lines: List[bytes] = []
        self.size = 0


class MemoryQueue:
    """Cuts events into batches in order. A batch counts until it is settled."""

    def __init__(self) -> None:
        self._batches: Deque[Batch] = deque()
        self._underWay: List[Batch] = []
        self.length = 0
        self.size = 0
        self.added = 0
        self.settled = 0

    def add(self, line: bytes, isAlias: bool) -> None:
        size = len(line) + 1
        last = self._batches[-1] if self._batches else None
        if (
            last is None
            or isAlias
            or last.isAlias
            or len(last.lines) >= MAX_BATCH_EVENTS
            or last.size + size > MAX_BATCH_BYTES
        ):
            last = Batch(isAlias)
            self._batches.append(last)
        last.lines.append(line)
        last.size += size
        self.size += size
        self.length += 1
        self.added += 1

    def take(self) -> Optional[Batch]:
        if not self._batches:
            return None
        batch = self._batches.popleft()
        self.length -= len(batch.lines)
        self._underWay = [batch]
        return batch

    def settle(self, batch: Batch) -> None:
        self._underWay = []
        self.size -= batch.size
        self.settled += len(batch.lines)

    def unsettled(self) -> List[Batch]:
        """All that is not settled, in order."""
        return [*self._underWay, *self._batches]

    def clear(self) -> None:
        self._batches.clear()
        self._underWay = []
        self.length = 0
        self.size = 0
