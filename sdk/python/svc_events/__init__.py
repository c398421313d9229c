"""Sends events to svc: in the background, in batches, each stored once."""

from ._client import SvcEvents, SvcFailure, SvcStats, __version__
from ._warnings import SvcWarning

__all__ = ["SvcEvents", "SvcFailure", "SvcStats", "SvcWarning", "__version__"]
