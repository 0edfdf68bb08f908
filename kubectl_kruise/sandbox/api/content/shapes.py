"""Objects, lists and events as bytes in the form a client asked for (sandbox-apiserver.md L1, TB1, TB2, W13)."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import orjson

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.api.content import accept
from kubectl_kruise.sandbox.api.content.accept import Form
from kubectl_kruise.sandbox.registry.kinds.resources import Resource
from kubectl_kruise.sandbox.store import Stored

if TYPE_CHECKING:
    from kubectl_kruise.sandbox.tables import TableShape

INITIAL_END: Final = {"k8s.io/initial-events-end": "true"}


class Shapes:
    """Writes the objects of one kind in one form."""

    def __init__(self, resource: Resource, form: Form, clock: Clock, include: str = "Metadata") -> None:
        self._resource, self._form, self._clock, self._include = resource, form, clock, include
        self._table: TableShape | None = None
        if form.shape == accept.TABLE:
            from kubectl_kruise.sandbox.tables import custom_table, native_table

            crd = resource.crd
            self._table = (
                custom_table(crd, resource.version)
                if crd is not None
                else native_table(resource.api_version, resource.kind)
            )

    @property
    def content_type(self) -> str:
        return self._form.media_type

    @property
    def _meta_version(self) -> str:
        return f"meta.k8s.io/{self._form.version}"

    def one(self, stored: Stored) -> bytes:
        """Give one object."""
        if not self._form.shape:
            return self._text(stored.object) if self._form.yaml else stored.encode()
        meta = {"resourceVersion": stored.object["metadata"].get("resourceVersion", "")}
        return self._text(self._shaped([stored.object], meta, single=True))

    def listed(self, items: Sequence[Stored], meta: Raw) -> bytes:
        """Give a list; the bytes of its items are those of the objects."""
        if self._form.shape:
            meta = {key: value for key, value in meta.items() if value != ""}
            return self._text(self._shaped([stored.object for stored in items], meta, single=False))
        head = {"kind": self._resource.list_kind, "apiVersion": self._resource.api_version, "metadata": meta}
        if self._form.yaml:
            return self._text(head | {"items": [stored.object for stored in items]})
        joined = b",".join(stored.encode() for stored in items)
        return orjson.dumps(head)[:-1] + b',"items":[' + joined + b"]}"

    def event(self, kind: str, stored: Stored, *, first: bool) -> bytes:
        """Give one line of a watch; a Table names its columns in the first one only."""
        if not self._form.shape:
            body = stored.encode()
        else:
            meta = {"resourceVersion": stored.object["metadata"]["resourceVersion"]}
            shaped = self._shaped([stored.object], meta, single=True)
            if not first and self._table:
                shaped["columnDefinitions"] = None
            body = orjson.dumps(shaped)
        return b'{"type":"' + kind.encode() + b'","object":' + body + b"}\n"

    def bookmark(self, version: int, *, initial_end: bool, first: bool) -> bytes:
        """Give the line that tells how far a watch has come."""
        meta: Raw = {"resourceVersion": str(version)}
        if initial_end:
            meta["annotations"] = INITIAL_END
        raw = {"kind": self._resource.kind, "apiVersion": self._resource.api_version, "metadata": meta}
        empty = Stored(self._resource.key, raw | {"metadata": {"name": ""} | meta}, version)
        if not self._form.shape:
            empty.object["metadata"].pop("name")
        return self.event("BOOKMARK", empty, first=first)

    def _shaped(self, objects: Iterable[Raw], meta: Raw, *, single: bool) -> Raw:
        if self._table is not None:
            return self._as_table(self._table, objects, meta)
        partial = [self._partial(raw, own_type=True) for raw in objects]
        if single:
            return partial[0]
        return {
            "kind": accept.PARTIAL_LIST,
            "apiVersion": self._meta_version,
            "metadata": meta,
            "items": partial,
        }

    def _as_table(self, table: "TableShape", objects: Iterable[Raw], meta: Raw) -> Raw:
        now = datetime.fromtimestamp(self._clock.time(), UTC)
        rows = []
        for raw in objects:
            row: Raw = {"cells": table.cells(raw, now), "object": None}
            if self._include == "Metadata":
                row["object"] = self._partial(raw, own_type=True)
            elif self._include == "Object":
                row["object"] = raw
            rows.append(row)
        return {
            "kind": "Table",
            "apiVersion": self._meta_version,
            "metadata": meta,
            "columnDefinitions": table.columns,
            "rows": rows,
        }

    def _partial(self, raw: Raw, *, own_type: bool) -> Raw:
        kind = {"kind": accept.PARTIAL, "apiVersion": self._meta_version} if own_type else {}
        meta = raw["metadata"]
        return kind | {
            "metadata": meta if meta.get("name") else {k: v for k, v in meta.items() if k != "name"}
        }

    def _text(self, value: Any) -> bytes:
        if not self._form.yaml:
            return orjson.dumps(value)
        from kubectl_kruise.sandbox.notation.yaml_text import dump

        return dump(value)
