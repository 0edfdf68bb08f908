"""Reading objects as the typed webhooks of Kruise do, before the server has held them against their schema."""

from functools import cache
from http import HTTPStatus

from kubectl_kruise.facts.crds.definitions import definition
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.facts.releases import Release
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.native.decoding import decode
from kubectl_kruise.sandbox.schema.compiling import compile_schema
from kubectl_kruise.sandbox.schema.node import Node


def check_types(new: Raw, kind: Kind, webhook: str) -> None:
    """Raise Refused with 400, as this webhook does, where a part of the object has another type than its Go struct."""
    if why := decode(_type(kind, new["apiVersion"].rpartition("/")[2]), new).problem:
        message = f'admission webhook "{webhook}" denied the request: {why}'
        raise status.failure(HTTPStatus.BAD_REQUEST, "", message)


@cache
def _type(kind: Kind, version: str) -> Node:
    """Give the type by the schema of the latest definition, which has every version; the status is not decided on."""
    crd: Raw = definition(kind, Release.MAIN, converted=True)
    versions = {entry["name"]: entry["schema"]["openAPIV3Schema"] for entry in crd["spec"]["versions"]}
    node = compile_schema(versions[version]["properties"]["spec"])
    node.name = f"{kind.kind}Spec"
    root = Node("object", kind.kind)
    root.properties = {"spec": node}
    return root
