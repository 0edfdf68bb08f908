"""How every pass over a workload of Kruise begins: it is read as the webhook would have made it, or left alone."""

import logging
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from kubectl_kruise.controllers.defaulting import Defaulter
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.controllers.writing.latest import LastWritten
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.raw import Raw, labels_of
from kubectl_kruise.objects.selector import Selector, selector_of

LOG = logging.getLogger("kubectl_kruise.controllers")


class Keeper(Protocol):
    """Remembers something of each workload."""

    def forget(self, key: Key, /) -> None: ...


class View(Protocol):
    """What the opening asks of a workload as its engine reads it."""

    @property
    def raw(self) -> Raw: ...
    @property
    def selector(self) -> Raw: ...
    @property
    def template(self) -> Raw: ...


V = TypeVar("V", bound=View)


class Opened(NamedTuple, Generic[V]):
    """`live` is the object as it was last seen or written; `view` is the same with the webhook's defaults."""

    live: Raw
    view: V
    selector: Selector


class Opening(Generic[V]):
    """Reads workloads of one kind; `keepers` forget those that are gone."""

    def __init__(
        self,
        kind: Kind,
        read: Callable[[Raw], V],
        defaulter: Defaulter,
        written: LastWritten,
        recorder: Recorder,
        keepers: Sequence[Keeper],
    ) -> None:
        """Take `read`, which gives a view of a complete object and raises ValueError where a value does not fit."""
        self._kind, self._read, self._defaulter = kind, read, defaulter
        self._written, self._recorder = written, recorder
        self._keepers = (*keepers, defaulter, written)

    def open(self, key: Key, cached: Raw | None) -> Opened[V] | None:
        """Give what a pass works on, None for a workload that is gone or cannot be worked on."""
        if cached is None:
            for keeper in self._keepers:
                keeper.forget(key)
            return None
        live = self._written.latest(key, cached)
        try:
            view = self._read(self._defaulter.fill(key, live))
            selector = selector_of(view.selector)
        except ValueError as error:
            LOG.warning("%s %s/%s cannot be worked on: %s", self._kind.word, *key, error)
            return None
        if not selector.matches(labels_of(view.template)):
            # Without a webhook nobody refused it. Its pods would be released as soon as they are made, without end.
            text = "the labels of spec.template are not matched by spec.selector"
            self._recorder.warning(self._kind, view.raw, "FailedCreate", text)
            return None
        return Opened(live, view, selector)
