"""Which form an answer takes, by the Accept header (sandbox-apiserver.md T4, T5, D1, D2)."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Final, NamedTuple

from kubectl_kruise.sandbox import status

JSON: Final = "application/json"
YAML: Final = "application/yaml"
BINARY: Final = ("application/vnd.kubernetes.protobuf", "application/cbor")
ANYTHING: Final = ("*/*", "application/*", JSON, *BINARY)
ONLY: Final = "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf"
NATIVE_ONLY: Final = (
    "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, "
    "application/vnd.kubernetes.protobuf"
)
STREAMS: Final = ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"
JSON_ONLY: Final = "406: Not Acceptable\n\nAvailable representations: application/json"
WATCH_ONLY: Final = (
    "only the following media types are accepted: application/json;stream=watch, "
    "application/vnd.kubernetes.protobuf;stream=watch"
)
TABLE: Final = "Table"
PARTIAL: Final = "PartialObjectMetadata"
PARTIAL_LIST: Final = "PartialObjectMetadataList"
DISCOVERY: Final = "APIGroupDiscoveryList"


class Form(NamedTuple):
    """`shape` is what the client wants the object turned into, "" for the object itself, in `version`."""

    media_type: str = JSON
    shape: str = ""
    version: str = ""

    @property
    def yaml(self) -> bool:
        return self.media_type == YAML


class _Entry(NamedTuple):
    media_type: str
    parameters: dict[str, str]


def _entries(accept: str) -> Iterable[_Entry]:
    for part in accept.split(","):
        media_type, *rest = (piece.strip() for piece in part.split(";"))
        if media_type:
            pairs = (piece.partition("=") for piece in rest)
            yield _Entry(media_type.lower(), {key.strip(): value.strip() for key, _, value in pairs})


def choose_form(
    accept: str, *, native: bool, listing: bool = False, watching: bool = False, kind: str = ""
) -> Form:
    """Take the first form in the client's order that we have; 406 where there is none."""
    partial_refused = False
    versioned = False
    for media_type, parameters in _entries(accept or "*/*"):
        shape = parameters.get("as", "")
        if not shape and media_type in ANYTHING:
            return Form()
        if not shape and media_type == YAML and not watching:
            return Form(YAML)
        if media_type not in (JSON, *BINARY, YAML) or not shape or (watching and media_type == YAML):
            continue
        versioned = True
        if parameters.get("g") != "meta.k8s.io" or parameters.get("v") not in ("v1", "v1beta1"):
            continue
        wanted = (PARTIAL_LIST,) if listing else (PARTIAL,)
        if shape == TABLE or shape in wanted:
            return Form(YAML if media_type == YAML else JSON, shape, parameters["v"])
        partial_refused = partial_refused or (listing and shape == PARTIAL)
    if watching and (not native or versioned or _has_yaml(accept)):
        raise _not_acceptable(WATCH_ONLY)
    if partial_refused:
        raise _not_acceptable(
            f"you requested PartialObjectMetadata, but the requested object is a list (*core.{kind}List)"
        )
    if native and not versioned:
        raise _not_acceptable(NATIVE_ONLY + (STREAMS if listing or watching else ""), {})
    raise _not_acceptable(ONLY)


def _has_yaml(accept: str) -> bool:
    return any(entry.media_type == YAML for entry in _entries(accept))


def require_json(accept: str) -> None:
    """Refuse a client that takes no plain JSON, where there is nothing else."""
    if not any(entry.media_type in ANYTHING for entry in _entries(accept or "*/*")):
        raise _not_acceptable(JSON_ONLY, {})


def choose_discovery(accept: str) -> Form:
    """Choose between aggregated and legacy discovery; an aggregated entry wins wherever it stands (T4)."""
    entries = list(_entries(accept or "*/*"))
    for media_type, parameters in entries:
        if (
            media_type == JSON
            and parameters.get("as") == DISCOVERY
            and parameters.get("v") in ("v2", "v2beta1")
        ):
            versions = [
                found.parameters.get("v") for found in entries if found.parameters.get("as") == DISCOVERY
            ]
            return Form(JSON, DISCOVERY, "v2" if "v2" in versions else "v2beta1")
    form = choose_form(accept, native=False)
    if form.shape:
        raise _not_acceptable(ONLY)
    return form


def _not_acceptable(message: str, details: dict[str, str] | None = None) -> status.Refused:
    return status.failure(HTTPStatus.NOT_ACCEPTABLE, "NotAcceptable", message, details)
