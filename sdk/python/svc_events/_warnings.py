"""Warnings about events that svc accepted."""

import re
import sys
import time
from typing import Any, Callable, Dict, List, Set, Tuple, TypedDict

# The default `onWarning` writes one line of a code in this time.
QUIET_S = 60
MAX_WRITTEN = 1_000


class SvcWarning(TypedDict):
    """Something that svc accepted, but that is probably not meant.

    `code` is UNKNOWN_FIELD, NUMBER_ROUNDED, CLAMPED_PAST, CLAMPED_FUTURE or PLACEHOLDER_ID; `event` the name of the
    event; `field` as in the event, such as properties.total; `message` goes on after the field: "is not a field of svc
    and was ignored". `count` is how often it is in one request; svc names at most twenty warnings of a request.
    """

    code: str
    event: str
    field: str
    message: str
    count: int


def sumUpWarnings(answered: Any, eventAt: Callable[[int], str]) -> List[SvcWarning]:
    """Sums up the warnings of an answer by code, event and field. `eventAt` has the names of the request's events.
    Anything that is not a list of warnings is ignored."""
    sums: Dict[Tuple[str, str, str], SvcWarning] = {}
    for warning in answered if isinstance(answered, list) else []:
        found = re.match(r"/events/(\d+)/(.+)", str(warning.get("path")), re.DOTALL)
        code = warning.get("code")
        if found is None or not isinstance(code, str):
            continue
        event = eventAt(int(found[1]))
        field = found[2].replace("/", ".").replace("~1", "/").replace("~0", "~")
        kind = (code, event, field)
        if kind in sums:
            sums[kind]["count"] += 1
        else:
            sums[kind] = {"code": code, "event": event, "field": field, "message": str(warning.get("message")), "count": 1}
    return list(sums.values())


def warnOnStandardError() -> Callable[[SvcWarning], None]:
    """Writes a line for each code and field, once, and at most one a minute for each code."""
    written: Set[Tuple[str, str]] = set()
    lastAt: Dict[str, float] = {}

    def warn(warning: SvcWarning) -> None:
        code, field = warning["code"], warning["field"]
        now = time.monotonic()
        if (code, field) in written or now - lastAt.get(code, -QUIET_S) < QUIET_S:
            return
        if len(written) < MAX_WRITTEN:
            written.add((code, field))
        lastAt[code] = now
        sys.stderr.write("svc-events: warning: %s of %s %s (%s)\n" % (field, warning["event"], warning["message"], code))

    return warn
