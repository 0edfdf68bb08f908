"""Requests about objects: from method and path to the registry and back (sandbox-apiserver.md §3, §8 to §12)."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from kubectl_kruise.cluster.port import PatchType
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.api import subresources
from kubectl_kruise.sandbox.api.content.answers import Answer, json_answer, warn, warning_texts
from kubectl_kruise.sandbox.api.content.bodies import check_size, read_options
from kubectl_kruise.sandbox.api.content.shapes import Shapes
from kubectl_kruise.sandbox.api.exchange import Exchange
from kubectl_kruise.sandbox.api.lists import Page, list_page
from kubectl_kruise.sandbox.api.query import (
    PATCH_OPTIONS,
    Query,
    check_times,
    check_write,
    delete_options,
    first,
    flag,
    version_problem,
)
from kubectl_kruise.sandbox.api.selection import Matches, selection
from kubectl_kruise.sandbox.api.watches import Watch
from kubectl_kruise.sandbox.registry.deletion import Deleted, check_options, delete, delete_collection
from kubectl_kruise.sandbox.registry.kinds import crds
from kubectl_kruise.sandbox.registry.patching.patch import patch
from kubectl_kruise.sandbox.store import Stored

OPTIONS_OF: Final = {
    "POST": "CreateOptions",
    "PUT": "UpdateOptions",
    "PATCH": PATCH_OPTIONS,
    "DELETE": "DeleteOptions",
}


DEPRECATED: Final = {
    "endpoints": "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"
}
"""What is said with every answer about a kind (R4)."""


class ResourceRequest(Exchange):
    """One request about a kind: `answer` carries it out."""

    def answer(self) -> Answer:
        """Carry the request out. Raises Refused and PageNotFound."""
        check_times(self.query)
        if text := DEPRECATED.get(self.call.resource.key):
            self.call.warnings.append(text)
        if kind := OPTIONS_OF.get(self.method):
            applying = self.method == "PATCH" and self.media_type == PatchType.APPLY
            check_write(self.query, kind, applying=applying)
        try:
            return warn(self._carried_out(), self.call.warnings)
        except status.Refused as refusal:
            # What was dropped from the body is said with a refusal too.
            if texts := warning_texts(self.call.warnings):
                refusal.headers["warning"] = texts
            raise

    def _carried_out(self) -> Answer:
        if self.route.subresource:
            return subresources.answer(self)
        if self.route.name and not self.route.old_watch:
            return self._object()
        return self._collection()

    def options(self) -> Raw:
        """Read the DeleteOptions, and note a dry run asked for in them."""
        options = delete_options(self.query) or read_options(self.body, self.headers.get("content-type", ""))
        check_options(options)
        if options.get("dryRun"):
            self.call.dry_run = True
        return options

    def _object(self) -> Answer:
        self.shapes()  # what cannot be answered is refused before anything is written
        match self.method:
            case "GET":
                return self._get()
            case "PUT":
                return self.shown(self._settled(lambda: self.registry.replace(self.call, self.read_body())))
            case "PATCH":
                check_size(self.body)
                stored = self._settled(lambda: patch(self.registry, self.call, self.body, self.media_type))
                return self.shown(stored, HTTPStatus.CREATED if self.call.created else HTTPStatus.OK)
            case "DELETE":
                return self._deleted(self.options())
            case "POST" if self.call.resource.custom:
                return self._create()
        raise status.method_not_allowed()

    def _get(self) -> Answer:
        if problem := version_problem(first(self.query, "resourceVersion")):
            raise status.server_fault(problem)
        return self.shown(self.registry.get(self.call))

    def _collection(self) -> Answer:
        resource = self.call.resource
        whole = resource.namespaced and not self.route.namespace
        if whole and self.method in ("POST", "DELETE"):
            raise status.PageNotFound if resource.custom else status.method_not_allowed()
        match self.method:
            case "GET":
                return self._watch() if flag(self.query, "watch") or self.route.old_watch else self._list()
            case "POST":
                self.shapes()
                return self._create()
            case "DELETE" if "deletecollection" in resource.verbs:
                return self._delete_collection()
            case "PUT" | "PATCH" if resource.custom:
                raise status.bad_request("name must be provided")
        raise status.method_not_allowed()

    def _create(self) -> Answer:
        return self.shown(
            self._settled(lambda: self.registry.create(self.call, self.read_body())), HTTPStatus.CREATED
        )

    def _settled(self, write: Callable[[], Stored]) -> Stored:
        stored = write()
        self.settle()
        return stored

    def _matches(self) -> Matches | None:
        fields = first(self.query, "fieldSelector")
        if self.route.name:
            fields = f"metadata.name={self.route.name}" + (f",{fields}" if fields else "")
        return selection(self.call.resource, first(self.query, "labelSelector"), fields)

    def _list(self) -> Answer:
        shapes = self.shapes(listing=True)
        return self._listed(shapes, self._page(self.query))

    def _page(self, query: Query) -> Page:
        return list_page(self.registry, self.call.resource, self.route.namespace, query, self._matches())

    def _listed(self, shapes: Shapes, page: Page) -> Answer:
        body = shapes.listed(page.items, page.meta)
        return Answer(HTTPStatus.OK, body, {"content-type": shapes.content_type})

    def _watch(self) -> Answer:
        resource = self.call.resource
        shapes = self.shapes(watching=True)
        watch = Watch(self.registry, resource, self.route.namespace, self._matches(), shapes, self.query)
        return Answer(HTTPStatus.OK, b"", {"content-type": shapes.content_type}, watch)

    def _deleted(self, options: Raw) -> Answer:
        resource = self.call.resource
        if crds.is_crd(resource):
            gone = crds.mark(self.registry, self.call, self.registry.find(self.call))
        else:
            gone = delete(self.registry, self.call, options)
        self.settle()
        return self.removal(gone)

    def removal(self, gone: Deleted) -> Answer:
        """Answer a DELETE: the object where it stays for a while, a Status where it is gone (G2)."""
        if gone.object is not None:
            return self.shown(gone.object)
        resource = self.call.resource
        details = status.details(resource.group, resource.plural, self.call.name) | {"uid": gone.uid}
        return json_answer(status.success(details))

    def _delete_collection(self) -> Answer:
        shapes = self.shapes(listing=True)
        options = self.options()
        query = {
            name: self.query[name] for name in ("limit", "continue", "resourceVersion") if name in self.query
        }
        page = self._page(query)
        delete_collection(self.registry, self.call, options, page.items)
        self.settle()
        return self._listed(shapes, page)
