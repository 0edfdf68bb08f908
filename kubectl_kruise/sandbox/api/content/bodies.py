"""Request bodies: JSON or YAML to an object, with the complaints of Go's decoders (sandbox-apiserver.md T2, T3, N3)."""

from http import HTTPStatus
from typing import Final

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.native import decoding
from kubectl_kruise.sandbox.native.structure import node_of
from kubectl_kruise.sandbox.notation.json_text import parse_json
from kubectl_kruise.sandbox.notation.repeated_keys import repeated_keys
from kubectl_kruise.sandbox.registry.call import Body
from kubectl_kruise.sandbox.registry.identity import summary_of, type_problem

DELETE_OPTIONS: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"
LIMIT: Final = 3 * 1024 * 1024
PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
ACCEPTED: Final = "application/json, application/yaml, application/vnd.kubernetes.protobuf"


def check_size(body: bytes) -> None:
    if len(body) > LIMIT:
        message = f"Request entity too large: limit is {LIMIT}"
        raise status.failure(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "RequestEntityTooLarge", message)


def read_body(body: bytes, content_type: str, kind: str, *, find_duplicates: bool = True) -> Body:
    """Read the object of a POST or PUT. Raises Refused 400, 413 and 415 in the words of the real server."""
    check_size(body)
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type == "application/json" or not content_type:
        return _read_json(body, kind, find_duplicates=find_duplicates)
    if media_type == "application/yaml":
        return _read_yaml(body, kind)
    if media_type == PROTOBUF:
        return Body(_read_protobuf(body, kind), text=body)
    raise status.unsupported_media(ACCEPTED)


def read_options(body: bytes, content_type: str) -> Raw:
    """Read DeleteOptions; an empty body means none."""
    check_size(body)
    if not body.strip():
        return {}
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type == "application/yaml":
        return _read_yaml(body, "DeleteOptions").object
    try:
        found = parse_json(body)
    except ValueError as fault:
        raise status.bad_request(f"couldn't get version/kind; json parse error: {fault}") from None
    if found is None:
        return {}
    if problem := type_problem(found):
        raise status.bad_request(f"couldn't get version/kind; json parse error: {problem}")
    decoded = decoding.decode(node_of(DELETE_OPTIONS), found)
    if decoded.problem:
        raise status.bad_request(decoded.problem)
    return decoded.object


def _read_json(body: bytes, kind: str, *, find_duplicates: bool) -> Body:
    try:
        found = parse_json(body)
    except ValueError as fault:
        raise _unreadable(kind, f"couldn't get version/kind; json parse error: {fault}", body) from None
    if found is None:
        return Body({}, text=body)
    if problem := type_problem(found):
        raise _unreadable(kind, f"couldn't get version/kind; json parse error: {problem}", body)
    return Body(found, repeated_keys(found, body) if find_duplicates else (), body)


def _read_yaml(body: bytes, kind: str) -> Body:
    import yaml

    from kubectl_kruise.sandbox.notation.yaml_text import Loader, problem_of

    try:
        loader = Loader(body)
        found = loader.get_first_data()
    except yaml.YAMLError as error:
        raise _unreadable(kind, problem_of(error), body) from None
    if found is None:
        return Body({}, text=body)
    if problem := type_problem(found):
        raise _unreadable(kind, f"couldn't get version/kind; json parse error: {problem}", body)
    return Body(found, text=body, yaml_lines=tuple(loader.repeated))


def _read_protobuf(body: bytes, kind: str) -> Raw:
    from kubectl_kruise.sandbox.api.content.protobuf import BrokenError, UnreadableError, decode_protobuf

    try:
        return decode_protobuf(body)
    except BrokenError as error:
        raise _unreadable(kind, str(error), body) from None
    except (UnreadableError, UnicodeDecodeError) as error:
        message = f"the protobuf body of the request cannot be read: {error}"
        raise status.failure(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "UnsupportedMediaType", message) from None


def _unreadable(kind: str, why: str, body: bytes) -> status.Refused:
    return status.bad_request(
        f"the object provided is unrecognized (must be of type {kind}): {why} ({summary_of(body)})"
    )
