"""Running controllers: by threads against a server, or step by step on a virtual clock."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.queue import Key, Queue
from kubectl_kruise.errors import ConflictError, KruiseError, NotFoundError

LOG = logging.getLogger("kubectl_kruise.controllers")
RETRY_WATCH_SECONDS = 1.0


class Controller(Protocol):
    """Something that looks at one key at a time; idempotent, holds nothing that a restart would lose."""

    name: str
    queue: Queue
    workers: int

    @property
    def informers(self) -> Sequence[Informer]:
        """Give what the controller reads from."""

    def reconcile(self, key: Key) -> float | None:
        """Do what is to be done for one object; give the seconds until the next look, None for none.

        A KruiseError is retried with back-off; it is logged, conflicts quietly.
        """


def work_one(controller: Controller, *, block: bool) -> bool:
    """Take one key and reconcile it; say whether there was one."""
    key = controller.queue.take(block=block)
    if key is None:
        return False
    try:
        again = controller.reconcile(key)
    except KruiseError as error:
        # A lost race, or an object that went meanwhile: the next look at the cache settles it.
        level = logging.DEBUG if isinstance(error, ConflictError | NotFoundError) else logging.WARNING
        LOG.log(level, "%s %s/%s: %s", controller.name, key.namespace, key.name, error.line())
        controller.queue.add_limited(key)
    except Exception:
        # A controller's bug must not stop the others; it is retried like any failure and stays visible in the log.
        LOG.exception("%s %s/%s", controller.name, key.namespace, key.name)
        controller.queue.add_limited(key)
    else:
        controller.queue.forget(key)
        if again is not None:
            controller.queue.add_after(key, again)
    finally:
        controller.queue.done(key)
    return True


class Runner:
    """Controllers on threads: one per informer, `workers` per controller."""

    def __init__(self, controllers: Sequence[Controller]) -> None:
        self._controllers = controllers
        self._stopping = threading.Event()
        self._workers: list[threading.Thread] = []

    def start(self) -> None:
        """Start all threads; workers begin once every informer has listed."""
        informers = _informers(self._controllers)
        for informer in informers:
            self._thread(f"watch {informer.path}", self._feed, informer)
        for controller in self._controllers:
            for number in range(controller.workers):
                worker = self._thread(f"{controller.name} {number}", self._work, controller, informers)
                self._workers.append(worker)

    def stop(self, seconds: float = 0.0) -> None:
        """Let every worker finish the key in hand, and wait for that up to `seconds`; watches end with the process."""
        self._stopping.set()
        for controller in self._controllers:
            controller.queue.close()
        end = time.monotonic() + seconds
        for worker in self._workers:
            worker.join(max(0.0, end - time.monotonic()))

    def _thread(self, name: str, target: Callable[..., None], *args: object) -> threading.Thread:
        thread = threading.Thread(name=name, target=target, args=args, daemon=True)
        thread.start()
        return thread

    def _feed(self, informer: Informer) -> None:
        told = ""
        while not self._stopping.is_set():
            try:
                informer.follow()
            except KruiseError as error:
                # What does not change in a second is said once.
                LOG.log(
                    logging.DEBUG if error.line() == told else logging.WARNING,
                    "watch %s: %s",
                    informer.path,
                    error.line(),
                )
                told = error.line()
            except Exception:
                LOG.exception("watch %s", informer.path)
            self._stopping.wait(RETRY_WATCH_SECONDS)

    def _work(self, controller: Controller, informers: Sequence[Informer]) -> None:
        for informer in informers:
            while not informer.synced.wait(RETRY_WATCH_SECONDS):
                if self._stopping.is_set():
                    return
        while not self._stopping.is_set():
            work_one(controller, block=True)


Quiet = Callable[[str, str], bool]
"""Says, of a collection's path and a version of it, whether a watch from there on had nothing to tell."""


class Stepper:
    """Controllers in one thread on a virtual clock: deterministic, as fast as the machine allows."""

    def __init__(
        self, controllers: Sequence[Controller], clock: VirtualClock, quiet: Quiet = lambda *_: False
    ) -> None:
        """Step these controllers; a server in this process can spare them the watches that would tell nothing."""
        self._controllers = controllers
        self._clock = clock
        self._quiet = quiet

    def step(self) -> bool:
        """Let every informer take what happened, then every controller look at one key; say whether anything moved."""
        heard = [
            _poll(informer)
            for informer in _informers(self._controllers)
            if not informer.synced.is_set() or not self._quiet(informer.path, informer.version)
        ]
        worked = [
            work_one(controller, block=False) for controller in self._controllers if _synced(controller)
        ]
        return any(heard) or any(worked)

    def settle(self, limit: int = 100_000) -> None:
        """Step until nothing moves at this instant."""
        for _ in range(limit):
            if not self.step():
                return
        raise RuntimeError(f"not quiet after {limit} steps")

    def next_due(self) -> float | None:
        """Give the monotonic time at which the next timer fires, None when there is none."""
        times = [due for controller in self._controllers if (due := controller.queue.next_due()) is not None]
        return min(times, default=None)

    def run(self, seconds: float) -> None:
        """Let `seconds` of virtual time pass, timer by timer."""
        end = self._clock.monotonic() + seconds
        self.settle()
        while (due := self.next_due()) is not None and due <= end:
            self._clock.advance(max(0.0, due - self._clock.monotonic()))
            self.settle()
        self._clock.advance(max(0.0, end - self._clock.monotonic()))
        self.settle()

    def run_until_quiet(self, longest: float) -> None:
        """Let time pass until no timer is left, at most `longest` seconds."""
        end = self._clock.monotonic() + longest
        self.settle()
        while (due := self.next_due()) is not None and due <= end:
            self._clock.advance(max(0.0, due - self._clock.monotonic()))
            self.settle()


def _poll(informer: Informer) -> bool:
    """Take what happened; where the server does not answer, the next step asks again."""
    try:
        return informer.poll()
    except KruiseError as error:
        LOG.warning("watch %s: %s", informer.path, error.line())
        return False


def _synced(controller: Controller) -> bool:
    """Say whether everything the controller reads from has been listed: what is missing there would be made again."""
    return all(informer.synced.is_set() for informer in controller.informers)


def _informers(controllers: Sequence[Controller]) -> list[Informer]:
    """Give every informer once, in first-seen order."""
    return list(
        {id(informer): informer for controller in controllers for informer in controller.informers}.values()
    )
