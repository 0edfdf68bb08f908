"""The actions of a recording, carried out against our own server as the user would."""

import json
from typing import Any, NamedTuple

import jsonpatch

from kubectl_kruise.cluster.port import DryRun, Patch, PatchType
from kubectl_kruise.engine.inplace.hashes import byte_dump_hash, plain_hash
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.facts import kinds
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.facts.names import RUNTIME_META
from kubectl_kruise.objects.notation.reference import kind_of
from tests.conformance.comparing.normalise import NAMESPACE
from tests.conformance.scenarios.observe import plural_of
from tests.conformance.scenarios.world import World

PATCH_TYPES = {"json": PatchType.JSON, "merge": PatchType.MERGE, "strategic": PatchType.STRATEGIC}
_PREFIXED = {plural_of(kinds.NATIVE_STATEFULSET): kinds.NATIVE_STATEFULSET}
NO_ENVIRONMENT = 86995377
"""Hash of an environment without values from metadata (cloneset.md §18.5)."""


class UnknownActError(Exception):
    """The recording does something this program does not know how to do."""


class Answer(NamedTuple):
    code: int
    body: Any


def perform(world: World, do: dict[str, Any], pairs: dict[str, str]) -> Answer:
    """Do one action; `pairs` says which of our pods stands for a recorded one.

    Raises UnknownActError.
    """
    do = world.names.realise(_paired(do, pairs))
    try:
        return _perform(world, do)
    except KruiseError as error:
        return Answer(error.http, dict(error.status))


def _perform(world: World, do: dict[str, Any]) -> Answer:
    match do:
        case {"create": body}:
            return Answer(201, world.user.create(_collection(body, NAMESPACE), body))
        case {"create (cluster)": body}:
            return Answer(201, world.user.create(_collection(body), body))
        case {"read": target}:
            return Answer(200, world.user.get(_path(world, target)))
        case {"update": target}:
            path = _path(world, target)
            changed = jsonpatch.apply_patch(world.user.get(path), target["change"])
            return Answer(200, world.user.replace(path, changed))
        case {"deletecollection": target}:
            return Answer(200, world.user.delete(_plural(target["resource"]).path(NAMESPACE)))
        case {"evict": name}:
            path = kinds.POD.path(NAMESPACE, name, subresource="eviction")
            body = {
                "apiVersion": "policy/v1",
                "kind": "Eviction",
                "metadata": {"name": name, "namespace": NAMESPACE},
            }
            return Answer(201, world.user.create(path, body))
        case {"patch": patch}:
            return _patch(world, patch)
        case {"delete": target}:
            path = _path(world, target)
            dry_run = DryRun.SERVER if "dryRun=All" in (target.get("query") or "") else DryRun.NONE
            return Answer(200, world.user.delete(path, options=target.get("options") or {}, dry_run=dry_run))
        case {"wait": seconds}:
            world.run(seconds)
        case {"patches": patches}:
            answers = []
            for patch in patches:  # one request after the other: who watches has seen the one before
                world.sandbox.settle()
                answers.append(_patch(world, patch))
            return answers[-1]
        case {"placement": placement, "gapSeconds": gap}:
            for pod, node in placement:
                _schedule(world, pod, node)
                world.run(gap)
        case {"act": "manager upgraded", "to": kruise}:
            world.upgrade(kruise)
        case {"act": str(act)} if act.startswith("manager restarted"):
            world.restart(do.get("gates"))
        case {"act": str(), "pod": pod, "env": env}:
            return _daemon_writes(world, pod, env)
        case _:
            raise UnknownActError(json.dumps(do)[:200])
    return Answer(200, {})


def _path(world: World, target: dict[str, Any]) -> str:
    """Give the path of an object; `resource` is a plural, with the version before it where it is a certain one."""
    resource = target["resource"]
    prefix, _, plural = ("", "", resource) if resource in _PREFIXED else resource.rpartition(".")
    kind = _plural(plural)
    version = target.get("version") or prefix or world.version_of(kind)
    return kind.path(NAMESPACE, target["name"], version=version, subresource=target.get("subresource") or "")


def _patch(world: World, patch: dict[str, Any]) -> Answer:
    body = Patch(PATCH_TYPES[patch.get("type", "merge")], _owned(world, patch["body"]))
    return Answer(200, world.user.patch(_path(world, patch), body))


def _owned(world: World, body: Any) -> Any:
    """Give a patch with the uids of the owners it names, which recordings leave out."""
    references = (body.get("metadata") or {}).get("ownerReferences") if isinstance(body, dict) else None
    if not references:
        return body
    known = [
        reference
        | {"uid": (world.read_workload(reference["kind"], reference["name"]) or {})["metadata"]["uid"]}
        for reference in references
    ]
    return body | {"metadata": body["metadata"] | {"ownerReferences": known}}


def _schedule(world: World, pod: str, node: str) -> None:
    """Lift the scheduling gate of a pod and bind it."""
    path = kinds.POD.path(NAMESPACE, pod)
    world.place(pod, node)
    world.user.patch(path, Patch(PatchType.JSON, [{"op": "remove", "path": "/spec/schedulingGates"}]))


def _daemon_writes(world: World, name: str, env: dict[str, Any]) -> Answer:
    """Write the runtime annotation as the node daemon would after starting the containers with this environment.

    A number in place of an environment is a hash that fits none.
    """
    path = kinds.POD.path(NAMESPACE, name)
    pod = world.user.get(path)
    images = {container["name"]: container["image"] for container in pod["spec"]["containers"]}
    found = []
    for status in pod["status"]["containerStatuses"]:
        wanted = env.get(status["name"])
        hashed = wanted if isinstance(wanted, int) else _environment(wanted) if wanted else NO_ENVIRONMENT
        found.append(
            {
                "name": status["name"],
                "containerID": status["containerID"],
                "restartCount": status["restartCount"],
                "hashes": {
                    "plainHash": plain_hash(status["name"], images[status["name"]]),
                    "extractedEnvFromMetadataHash": hashed,
                },
            }
        )
    found.sort(key=lambda entry: list(images).index(entry["name"]))
    text = json.dumps({"containers": found}, separators=(",", ":"))
    return Answer(
        200,
        world.user.patch(path, Patch(PatchType.MERGE, {"metadata": {"annotations": {RUNTIME_META: text}}})),
    )


def _environment(pairs: list[list[str]]) -> int:
    entries = [{"name": name, "value": value} if value else {"name": name} for name, value in sorted(pairs)]
    return byte_dump_hash(json.dumps(entries, separators=(",", ":"), ensure_ascii=False))


def _paired(do: dict[str, Any], pairs: dict[str, str]) -> dict[str, Any]:
    moved = {recorded: ours for recorded, ours in pairs.items() if recorded != ours}
    text = json.dumps(do)
    for number, recorded in enumerate(moved):
        text = text.replace(f'"{recorded}"', f'"\x00{number}\x00"')
    for number, ours in enumerate(moved.values()):
        text = text.replace(f'"\x00{number}\x00"', f'"{ours}"')
    return json.loads(text)


def _collection(raw: dict[str, Any], namespace: str = "") -> str:
    """Give the path that an object is created at."""
    found = kind_of(raw["apiVersion"], raw["kind"])
    if found is None:
        raise UnknownActError(f"kind {raw['apiVersion']}/{raw['kind']}")
    return found.kind.path(namespace, version=found.version)


def _plural(name: str) -> Kind:
    known = {kind.plural: kind for kind in reversed(kinds.KINDS)} | _PREFIXED
    if name not in known:
        raise UnknownActError(f"resource {name}")
    return known[name]
