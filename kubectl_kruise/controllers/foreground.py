"""Controllers as one process: wait for the lease, work, and stop as soon as it is lost."""

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Final

from kubectl_kruise.controllers.lease import RETRY_SECONDS, OwnLease, Tenure, lost
from kubectl_kruise.controllers.loop import Controller, Runner
from kubectl_kruise.errors import KruiseError

LOG = logging.getLogger("kubectl_kruise.controllers")
STOP_SECONDS: Final = 5.0


class Foreground:
    """Runs controllers while the lease is held. The calling thread only waits, so that signals reach it."""

    def __init__(self, tenure: Tenure, build: Callable[[], Sequence[Controller]]) -> None:
        self._tenure, self._build = tenure, build
        self._ended = threading.Event()
        self._failure: KruiseError | None = None

    @property
    def lease(self) -> OwnLease:
        return self._tenure.lease

    def run(self) -> None:
        """Work until `stop`, or until an exception (a signal's) unwinds; the lease is given up on every way out.

        Raises RefusedError beside a live manager, ConflictError when the lease is lost.
        """
        while not self._tenure.seek():
            if self._ended.wait(RETRY_SECONDS):
                return
        try:
            self._work()
        finally:
            self._give_up()

    def stop(self) -> None:
        self._ended.set()

    def _work(self) -> None:
        runner = Runner(self._build())
        runner.start()
        # Renewing has a thread of its own: a request that hangs must not hide that the lease has run out.
        renewal = threading.Thread(target=self._renew, name="lease", daemon=True)
        renewal.start()
        try:
            while not self._ended.wait(RETRY_SECONDS):
                if self.lease.overdue():
                    self._failure = lost("it could not be renewed in time")
                    break
            if self._failure:
                raise self._failure
        finally:
            self._ended.set()
            runner.stop(STOP_SECONDS)
            # A renewal under way would meet the release of the lease, or take it anew after it.
            renewal.join(STOP_SECONDS)

    def _give_up(self) -> None:
        try:
            if self.lease.release():
                LOG.info("lease given up")
        except KruiseError as error:
            LOG.warning("giving up the lease: %s", error.line())

    def _renew(self) -> None:
        while not self._ended.wait(RETRY_SECONDS):
            try:
                self._tenure.keep()
            except KruiseError as error:
                self._failure = error
                self._ended.set()
