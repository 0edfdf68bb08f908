"""The port: all that the layers above may ask of a cluster, and what a transport owes the client below it."""

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from kubectl_kruise.errors import KruiseError
from kubectl_kruise.objects.raw import Raw


class DryRun(StrEnum):
    """`CLIENT` never reaches a cluster: the one function that writes answers it itself."""

    NONE = "none"
    CLIENT = "client"
    SERVER = "server"


class PatchType(StrEnum):
    JSON = "application/json-patch+json"
    MERGE = "application/merge-patch+json"
    STRATEGIC = "application/strategic-merge-patch+json"
    APPLY = "application/apply-patch+yaml"


class Patch(NamedTuple):
    """`body` is a list of operations for JSON, an object for the others."""

    type: PatchType
    body: Any


class Change(NamedTuple):
    """One watch event: `type` is ADDED, MODIFIED, DELETED or BOOKMARK."""

    type: str
    object: Raw


Away = Callable[[KruiseError | None], None]
"""Is told why a server that answered once does not answer, and None when it does again."""


Keep = Callable[[Raw], Raw]
"""What of an item of a list is wanted."""


class Cluster(Protocol):
    """A Kubernetes API server, ours included. Paths come from `facts.kinds.Kind.path`.

    Every method raises the KruiseError that fits the answer (`NotFoundError`, `ConflictError`, `NotAllowedError`,
    `ExpiredError`, `ServerError`, `UnreachableError`) with `status` set where a server answered.
    """

    namespace: str
    """Namespace of the context, "default" where none is named."""
    context: str
    server: str

    def get(self, path: str, *, query: Mapping[str, str] | None = None) -> Raw: ...

    def list(
        self, path: str, *, labels: str = "", fields: str = "", chunk: int = 500, keep: Keep | None = None
    ) -> Raw:
        """Give the whole list, read in pages of `chunk`; `metadata.resourceVersion` is good for a watch.

        With `keep` the list holds of each item what that makes of it, and only a page is in memory as a whole.
        """

    def create(self, path: str, body: Raw, *, dry_run: DryRun = DryRun.NONE) -> Raw: ...

    def replace(self, path: str, body: Raw, *, dry_run: DryRun = DryRun.NONE) -> Raw: ...

    def patch(self, path: str, patch: Patch, *, dry_run: DryRun = DryRun.NONE) -> Raw: ...

    def delete(self, path: str, *, options: Raw | None = None, dry_run: DryRun = DryRun.NONE) -> Raw:
        """Delete with DeleteOptions (`propagationPolicy`, `preconditions`, `gracePeriodSeconds`)."""

    def watch(
        self,
        path: str,
        since: str,
        *,
        labels: str = "",
        fields: str = "",
        timeout: float | None = None,
        follow: bool = True,
        away: Away | None = None,
    ) -> Iterator[Change]:
        """Yield changes after resourceVersion `since`, bookmarks included.

        With `follow`, streams that end normally or break are resumed where they were. Without it the iterator ends
        with the server's stream; the in-process transport ends a stream as soon as nothing more is there to say.
        `timeout` seconds bound the whole iteration. `away` is told of every failure that is waited out, and None once
        the stream is back. Raises ExpiredError on 410: list again.
        """

    def served(self, group: str, plural: str = "", *, fresh: bool = False) -> tuple[str, ...]:
        """Give the versions of `group` that the server serves, best first; () for a group it does not know.

        With `plural` only those that have this resource: the versions of a group need not have the same ones. What
        was found out before is believed for an hour, unless `fresh`.
        """


class Request(NamedTuple):
    """`target` is path and query as they go over the wire; `timeout` seconds bound it besides the transport's own."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes | None = None
    timeout: float | None = None


class Response(NamedTuple):
    """Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Stream(Protocol):
    """An open answer: whole lines as they come, without the newline; closing it from another thread ends `lines`."""

    status: int
    headers: Mapping[str, str]

    def lines(self) -> Iterator[bytes]: ...

    def close(self) -> None: ...


class Transport(Protocol):
    """Carries requests to one server; raises UnreachableError where no answer comes."""

    def send(self, request: Request) -> Response: ...

    def open(self, request: Request) -> Stream: ...

    def close(self) -> None:
        """Give up what is kept for further requests; not the open streams."""
