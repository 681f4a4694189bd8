"""Keeps the last good pair of bundles in force while their source changes under it."""

from __future__ import annotations

import logging
import os
import random
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from ..errors import BundleError, ConfigurationError, PlatformError
from ._files import Files
from ._sources import Seen, Source

_log = logging.getLogger("platform_sdk.bundles")

# A writer touches several files; waiting a moment spares loads of half-written folders.
_SETTLE_SECONDS = 0.05
_LOOKS_MAX = 100
_RETRY_SECONDS = 0.5
_STOP_SECONDS = 10.0

Made = TypeVar("Made")


class Follower(Generic[Made]):
    """Looks at a source again and again, in a thread of its own.

    `make` verifies what was read and makes what decides of it; only when it returns is that swapped
    in, whole, by one assignment. When it raises, what was in force stays, and `on_error` is called
    with the error, once for each change of a folder and each failure of a URL; without `on_error`
    it is logged. Before the first good pair there is none, and everything is denied.
    """

    def __init__(
        self,
        source: Source,
        make: Callable[[Files, Files, Made | None], Made],
        *,
        interval: float | None = None,
        on_error: Callable[[PlatformError], object] | None = None,
    ) -> None:
        self._source = source
        self._make = make
        self._interval = source.interval if interval is None else interval
        if not self._interval > 0:
            raise ConfigurationError("an interval is a number of seconds above 0")
        self._on_error = on_error
        self._current: Made | None = None
        self._error: PlatformError | None = None
        self._failures = 0
        self._begin()
        self.refresh()
        self._thread.start()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._looking = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="platform-bundles", daemon=True)

    def current(self) -> Made | None:
        """What is in force; None before the first good pair."""
        # A fork has no threads: the child goes on with one of its own.
        if self._process != os.getpid() and not self._stopping.is_set():
            self._begin()
            self._thread.start()
        return self._current

    @property
    def error(self) -> PlatformError | None:
        """Why the last look changed nothing; None when what is there is in force."""
        return self._error

    def refresh(self) -> None:
        """Looks now, and returns when what is there is in force or refused."""
        error: PlatformError | None = None
        with self._looking:
            for _ in range(_LOOKS_MAX):
                if self._stopping.is_set():
                    return
                is_over, error = self._look()
                if is_over:
                    break
                self._stopping.wait(_SETTLE_SECONDS)
        # Called without the lock, because what it calls may want to look or to close.
        if error is not None:
            self._report(error)

    def close(self) -> None:
        """Stops the thread; what is in force stays so."""
        self._stopping.set()
        if self._thread is not threading.current_thread():
            self._thread.join(_STOP_SECONDS)

    def _run(self) -> None:
        while not self._stopping.wait(self._pause()):
            try:
                self.refresh()
            except Exception:
                # The thread must outlive whatever a look does: it is all that brings a new policy.
                _log.exception("looking at the bundles failed")

    def _pause(self) -> float:
        if self._failures == 0:
            return self._interval
        sooner = _RETRY_SECONDS * 2 ** min(self._failures - 1, 16)
        # Not all at once: processes that were started together spread out.
        return float(min(sooner, self._interval)) * (0.75 + random.random() / 2)

    def _look(self) -> tuple[bool, PlatformError | None]:
        """Whether the look is over, which it is not when the source changed meanwhile, and what went
        wrong."""
        made: Made | None = None
        error: PlatformError | None = None
        seen = Seen.IN_FORCE
        try:
            seen = self._source.look()
            if seen is Seen.CHANGED:
                made = self._make(*self._source.read(), self._current)
        except PlatformError as cause:
            error = cause
        except Exception as cause:
            error = BundleError(f"the bundles cannot be read: {cause}")
            error.__cause__ = cause
        if seen is Seen.CHANGED and not self._source.settle(accepted=error is None):
            return False, None
        self._failures = 0 if error is None else self._failures + 1
        if error is None and seen is Seen.CHANGED:
            self._current = made
        if seen is not Seen.REFUSED:
            self._error = error
        return True, error

    def _report(self, error: PlatformError) -> None:
        if self._on_error is None:
            _log.warning("the bundles stay as they are: %s (%s)", error, error.code)
            return
        try:
            self._on_error(error)
        except Exception:
            _log.exception("on_error failed")
