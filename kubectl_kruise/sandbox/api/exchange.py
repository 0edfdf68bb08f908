"""One request about a kind, read, and the forms of its answer (sandbox-apiserver.md §3)."""

from collections.abc import Mapping
from http import HTTPStatus

from kubectl_kruise.sandbox.api.content.accept import choose_form
from kubectl_kruise.sandbox.api.content.answers import Answer
from kubectl_kruise.sandbox.api.content.bodies import read_body
from kubectl_kruise.sandbox.api.content.shapes import Shapes
from kubectl_kruise.sandbox.api.query import Query, first, flag, without_delete_options
from kubectl_kruise.sandbox.api.routes import Route
from kubectl_kruise.sandbox.registry.call import Body, Call
from kubectl_kruise.sandbox.registry.kinds import crds
from kubectl_kruise.sandbox.registry.registry import Registry
from kubectl_kruise.sandbox.store import Stored


class Exchange:
    """A request's parts with the `call` that they make, and what every answer to it needs."""

    def __init__(
        self,
        registry: Registry,
        method: str,
        route: Route,
        query: Query,
        headers: Mapping[str, str],
        body: bytes,
    ) -> None:
        if method == "DELETE" and body.strip():
            query = without_delete_options(query)
        self.registry, self.method, self.route, self.query = registry, method, route, query
        self.headers, self.body = headers, body
        resource = route.resource
        self.call = Call(
            resource,
            route.namespace,
            route.name,
            route.subresource,
            dry_run="dryRun" in query,
            validation=first(query, "fieldValidation") or "Warn",
            field_manager=first(query, "fieldManager"),
            user_agent=headers.get("user-agent", ""),
            force=flag(query, "force"),
        )
        if resource.custom and (entry := resource.crd_version).get("deprecated"):
            default = f"{resource.api_version} {resource.kind} is deprecated"
            self.call.warnings.append(entry.get("deprecationWarning") or default)

    def read_body(self, kind: str = "") -> Body:
        return read_body(
            self.body,
            self.headers.get("content-type", ""),
            kind or self.call.resource.kind,
            find_duplicates=self.call.validation != "Ignore",
        )

    def shown(self, stored: Stored, code: int = HTTPStatus.OK) -> Answer:
        """Answer with one object in the form the client wants."""
        shapes = self.shapes()
        return Answer(code, shapes.one(stored), {"content-type": shapes.content_type})

    def shapes(self, *, listing: bool = False, watching: bool = False) -> Shapes:
        """Choose the form of the answer; refused where the client takes none that we have."""
        resource = self.call.resource
        form = choose_form(
            self.headers.get("accept", ""),
            native=not resource.custom, listing=listing, watching=watching, kind=resource.kind,
        )  # fmt: skip
        return Shapes(resource, form, self.registry.clock, first(self.query, "includeObject", "Metadata"))

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip()

    def settle(self) -> None:
        """Let the CRDs take note of a write that concerns them."""
        if crds.concerns(self.registry, self.call.resource):
            crds.settle(self.registry)
