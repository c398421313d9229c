"""Runs commands, a line of JSON each, against the package for Python. Answers each with a line."""

import json
import multiprocessing
import os
import sys
import threading
import time

from svc_events import SvcEvents

events = None
failures = []
warnings = []


def answer(value):
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def raising(_failure):
    raise RuntimeError("handler")


def open_(options=None, throwing=False):
    global events
    options = dict(options or {})
    onWarning = {"list": warnings.append, "error": raising}.get(options.pop("warningsTo", None))
    events = SvcEvents(**options, onError=raising if throwing else failures.append, onWarning=onWarning)


def track_many(event, count):
    return sum(events.track({**event, "userId": "u%d" % n}) for n in range(count))


def durably_many(event, count, **rest):
    start = rest["from"]
    results = []

    def some(numbers):
        for n in numbers:
            results.append(events.trackDurably({**event, "userId": "u%d" % n}))

    threads = [threading.Thread(target=some, args=(range(start + k, start + count, 8),)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(results)


def durably_for_ever(event, user):
    """Tracks until it is killed, and answers with each event that is confirmed."""
    lock = threading.Lock()

    def some(first):
        for n in range(first, sys.maxsize, 5):
            name = "%s-%d" % (user, n)
            if events.trackDurably(event["event"], userId=name):
                with lock:
                    answer(name)
            time.sleep(0.005)

    threads = [threading.Thread(target=some, args=(first,)) for first in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def track_odd():
    cyclic = {}
    cyclic["self"] = cyclic
    odd = [None, {"event": "a", "userId": "u", "properties": cyclic}, {"event": "a", "userId": "u", "timestamp": object()}]
    return [events.track(each) for each in odd]


def in_process(event):
    events.track(event)


def children(event):
    """The processes below this one track an event each with the same client, and end by themselves."""
    events.track({**event, "userId": "parent"})
    child = os.fork()
    if child == 0:
        events.track({**event, "userId": "thread"})
        os._exit(0 if events.close() else 1)
    os.waitpid(child, 0)
    process = multiprocessing.get_context("fork").Process(target=in_process, args=({**event, "userId": "cluster"},))
    process.start()
    process.join()
    return events.flush()


COMMANDS = {
    "open": open_,
    "track": lambda event: events.track(event),
    "trackMany": track_many,
    "trackDurably": lambda event: events.trackDurably(event),
    "durablyMany": durably_many,
    "durablyForEver": durably_for_ever,
    "trackOdd": track_odd,
    "alias": lambda link: events.alias(link),
    "flush": lambda ms=None: events.flush(ms),
    "close": lambda ms=None: events.close(ms),
    "stats": lambda: events.stats(),
    "failures": lambda: [failures.pop(0) for _ in range(len(failures))],
    "warnings": lambda: [warnings.pop(0) for _ in range(len(warnings))],
    "children": children,
    "exit": lambda: sys.exit(3),
}

if __name__ == "__main__":
    for line in sys.stdin:
        command = json.loads(line)
        answer(COMMANDS[command.pop("do")](**command))
