"""Create, read and update: the pipelines every object goes through (sandbox-apiserver.md §8)."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.objects.notation.field_errors import FieldError
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.raw import Raw, deleting, name_of
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry import identity, tracking
from kubectl_kruise.sandbox.registry.call import Body, Call, decode
from kubectl_kruise.sandbox.registry.kinds import versions
from kubectl_kruise.sandbox.registry.kinds.catalog import CRDS, Catalog
from kubectl_kruise.sandbox.registry.kinds.crd_names import initial_status
from kubectl_kruise.sandbox.registry.kinds.resources import Resource
from kubectl_kruise.sandbox.registry.natives import services
from kubectl_kruise.sandbox.registry.natives.daemon_sets import note_generation
from kubectl_kruise.sandbox.registry.sameness import same
from kubectl_kruise.sandbox.registry.transitions import (
    RESIZE,
    as_taken,
    changes_generation,
    check_uid,
    check_versions,
    deletes_itself,
    keep_metadata,
)
from kubectl_kruise.sandbox.schema.pruning import printed
from kubectl_kruise.sandbox.store import Store, Stored

if TYPE_CHECKING:
    from kubectl_kruise.sandbox.registry.admission import Admission, DeletionGuard

NAME_TRIES: Final = 8
NODES: Final = "nodes"
"""The one kind that is created with its status: a kubelet says all of itself at once."""
NOT_READY: Final = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
ADMITTED: Final = ("", RESIZE)


Entries = Callable[[Raw, Raw, Any], list[Raw]]
"""Gives the managed fields of an object: of the state before, the new one, and what the client sent as such."""


class Registry:
    """The objects behind the API. Every method runs to its end without giving way (S1)."""

    def __init__(self, store: Store, catalog: Catalog, clock: Clock) -> None:
        self.store, self.catalog, self.clock = store, catalog, clock
        self.admission: list[Admission] = []
        self.guards: list[DeletionGuard] = []

    @property
    def now(self) -> str:
        return rfc3339(self.clock.time())

    def refuse_protected(self, call: Call, raw: Raw) -> None:
        """Raise Refused where a webhook does not let the object be deleted, or evicted."""
        for guard in self.guards:
            guard.refuse(call, raw)

    def view(self, resource: Resource, stored: Stored) -> Stored:
        """Give the object as this version shows it: converted, pruned and with today's defaults (CR6, CR11)."""
        if resource.crd is None and resource.api_version == resource.storage:
            return stored
        found = stored.forms.get(resource)
        if isinstance(found, Stored):
            return found
        raw = versions.convert(stored.object, resource, resource.api_version)
        if resource.crd is not None:
            model = self.catalog.model(resource)
            same_version = raw is stored.object
            raw = model.decode(raw).object
            if same_version or versions.converter_of(resource) is None:
                # Defaults belong to what is stored: a converter's answer is shown as it is.
                raw = model.default(raw)
        shown = Stored(stored.resource, raw, stored.version)
        stored.forms[resource] = shown
        return shown

    def find(self, call: Call) -> Stored:
        """Give the stored object of the call; NotFound where there is none."""
        stored = self.store.get(call.resource.key, call.namespace, call.name)
        if stored is None:
            raise call.missing
        return stored

    def get(self, call: Call) -> Stored:
        return self.view(call.resource, self.find(call))

    def create(self, call: Call, body: Body, entries: Sequence[Raw] | None = None) -> Stored:
        """Store a new object (V1, V2, V4, V7, V9); `entries` are its managed fields where the caller has them."""
        resource = call.resource
        model = self.catalog.model(resource)
        raw = identity.check_type(call, body, self.catalog)
        new = decode(call, model, body._replace(object=raw))
        self._check_namespace_open(call, new)
        generated = not name_of(new)
        sent = (new.get("metadata") or {}).get("managedFields")
        identity.stamp_new(call, new, self.now)
        if "status" in resource.subresources and resource.key != NODES:
            new.pop("status", None)
        model.default(new)
        if entries is None:
            entries = tracking.created(call, new, sent, self.now)
        self._mutate(call, new, None)
        self._complete(resource, new, None)
        self._refuse_invalid(call, new, model.validate(new))
        self._refuse_invalid(call, new, services.refused(self.store, resource, new, None))
        new = printed(new) if resource.custom else new
        self._judge(call, new, None)
        self._settle_name(call, new, generated=generated)
        tracking.put(new, entries)
        call.warnings += model.warnings(new)
        return self._write(resource, new, dry_run=call.dry_run)

    def update(self, call: Call, produce: Callable[[Raw], Raw], entries: Entries | None = None) -> Stored:
        """Replace an object by what `produce` makes of its current form; no write where nothing changes (M3).

        `entries` gives the managed fields of what was produced, where they are not those of any update.
        """
        resource = call.resource
        old = self.find(call)
        shown = self.view(resource, old).object
        model = self.catalog.model(resource)
        new = produce(shown)
        sent = new["metadata"].pop("managedFields", None)
        check_versions(call, new, old)
        keep_metadata(new, shown)
        new = model.default(as_taken(call, new, shown))
        new["metadata"].pop("managedFields", None)
        owned = entries(shown, new, sent) if entries else tracking.updated(call, shown, new, sent, self.now)
        self._mutate(call, new, shown)
        if not call.subresource:
            self._complete(resource, new, shown)
        # A scale is judged as the change of its parent that it is; the other parts have their own rules.
        part = "" if call.subresource == "scale" else call.subresource
        self._refuse_invalid(call, new, model.validate(new, shown, subresource=part))
        self._refuse_invalid(call, new, services.refused(self.store, resource, new, shown))
        new = printed(new) if resource.custom else new
        self._judge(call, new, shown)
        meta = new["metadata"]
        if (
            part not in ("status", "binding")
            and resource.has_generation
            and changes_generation(resource, new, shown)
        ):
            meta["generation"] = (meta.get("generation") or 0) + 1
        meta["resourceVersion"] = shown["metadata"]["resourceVersion"]
        tracking.settle(new, shown, owned)
        if self._changes_nothing(resource, new, old, shown):
            return self.view(resource, old)
        call.warnings += model.warnings(new, shown)
        if call.dry_run:
            return Stored(resource.key, new, old.version)
        if deletes_itself(resource, new):
            # What watchers see last is the object as it was stored, with what had held it back (W4);
            # the answer has what the client sent, never stored, and so with the version before it (G6).
            self.store.remove(old)
            return Stored(resource.key, new, old.version)
        return self._write(resource, new)

    def replace(self, call: Call, body: Body) -> Stored:
        """PUT: the body takes the object's place (V6)."""
        raw = identity.check_type(call, body, self.catalog)
        new = decode(call, self.catalog.model(call.resource), body._replace(object=raw))
        identity.check_name(call, new)

        def produce(shown: Raw) -> Raw:
            check_uid(call, new, shown)
            return new

        return self.update(call, produce)

    def _write(self, resource: Resource, new: Raw, *, dry_run: bool = False) -> Stored:
        if dry_run:
            return Stored(resource.key, new, 0)
        stored = self.store.put(resource.key, self._stored_form(resource, new))
        if resource.api_version == resource.storage:
            stored.forms[resource] = stored
            return stored
        return self.view(resource, stored)

    def _changes_nothing(self, resource: Resource, new: Raw, old: Stored, shown: Raw) -> bool:
        """Tell whether a write would store what is there; through another version it may lose what that does not show."""
        if not same(new, shown):
            return False
        if resource.api_version == resource.storage == old.object["apiVersion"]:
            return True
        return same(self._stored_form(resource, new), old.object)

    def _stored_form(self, resource: Resource, new: Raw) -> Raw:
        """Give an object as it is stored: what the stored version's schema does not know is lost (CR11)."""
        raw = versions.convert(new, resource, resource.storage)
        model = self.catalog.storage_model(resource) if raw is not new else None
        return model.default(model.decode(raw).object) if model else raw

    def _mutate(self, call: Call, new: Raw, old: Raw | None) -> None:
        for step in self.admission if call.subresource in ADMITTED else ():
            if step.mutate(call, new, old):
                self.catalog.model(call.resource).default(new)

    def _judge(self, call: Call, new: Raw, old: Raw | None) -> None:
        for step in self.admission if call.subresource in ADMITTED else ():
            step.validate(call, new, old)

    def _complete(self, resource: Resource, new: Raw, old: Raw | None) -> None:
        """Set what the server adds of itself: addresses, a new node's taint, a CRD's stored versions."""
        services.allocate(self.store, resource, new, old)
        note_generation(resource, new, old)
        if resource.key == NODES and old is None:
            _taint_new_node(new)
        if resource.key == CRDS:
            initial_status(new, old)

    def _check_namespace_open(self, call: Call, new: Raw) -> None:
        """Refuse new content in a namespace that is missing or going (V2, NS2, NS3)."""
        resource = call.resource
        if not resource.namespaced:
            if resource.custom:
                self._check_crd_open(call, new)
            return
        namespace = self.store.get("namespaces", "", call.namespace)
        if namespace is None:
            raise status.not_found("", "namespaces", call.namespace)
        if deleting(namespace.object):
            name = name_of(new)
            refusal = status.forbidden(
                resource.group,
                resource.plural,
                name,
                f"unable to create new content in namespace {call.namespace} because it is being terminated",
            )
            refusal.status["details"]["causes"] = [
                {
                    "reason": "NamespaceTerminating",
                    "message": f"namespace {call.namespace} is being terminated",
                    "field": "metadata.namespace",
                }
            ]
            raise refusal
        if resource.custom:
            self._check_crd_open(call, new)

    def _check_crd_open(self, call: Call, new: Raw) -> None:
        crd = self.store.get(CRDS, "", call.resource.key)
        if crd is not None and deleting(crd.object):
            name = name_of(new)
            why = "create not allowed while custom resource definition is terminating"
            raise status.forbidden(call.resource.group, call.resource.plural, name, why)

    def _settle_name(self, call: Call, new: Raw, *, generated: bool) -> None:
        """Refuse a taken name; a generated one is tried again (M5, V3)."""
        resource, meta = call.resource, new["metadata"]
        for _ in range(NAME_TRIES):
            taken = self.store.get(resource.key, meta.get("namespace", ""), meta["name"])
            if taken is None:
                return
            if not generated:
                break
            meta["name"] = identity.random_name(meta["generateName"])
        ends, based = taken is not None and deleting(taken.object), bool(meta.get("generateName"))
        raise status.already_exists(
            resource.group, resource.plural, meta["name"], deleting=ends, with_base=based
        )

    def _refuse_invalid(self, call: Call, new: Raw, errors: Sequence[FieldError]) -> None:
        if errors:
            name = new["metadata"].get("name") or ""
            raise status.invalid(call.resource.group, call.resource.kind, name, errors)


def _taint_new_node(node: Raw) -> None:
    """Keep pods away from a node until somebody has seen it ready (N1)."""
    taints = node.setdefault("spec", {}).get("taints") or []
    if not any(taint.get("key") == NOT_READY["key"] for taint in taints):
        node["spec"]["taints"] = [*taints, dict(NOT_READY)]
