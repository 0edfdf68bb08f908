"""The fields of a kubeconfig file and what each may hold: client-go's `v1.Config` as a table.

What has another shape makes kubectl refuse the whole file, also in an entry that nobody uses. Null is the same as absent;
unknown fields are passed over.
"""

from binascii import a2b_base64
from typing import Any, Final

from kubectl_kruise.objects.raw import Raw

TEXT: Final = "a string"
DATA: Final = "base64 data"
FLAG: Final = "true or false"
ANY: Final = "anything"

Shape = Any
"""One of the four words; [shape] for a list; {"*": shape} for a mapping; {field: shape, …} for an object."""

_EXTENSIONS: Final = [{"name": TEXT, "extension": ANY}]
_CLUSTER: Final = {
    "server": TEXT, "tls-server-name": TEXT, "insecure-skip-tls-verify": FLAG, "certificate-authority": TEXT,
    "certificate-authority-data": DATA, "proxy-url": TEXT, "disable-compression": FLAG, "extensions": _EXTENSIONS,
}  # fmt: skip
_EXEC: Final = {
    "command": TEXT, "args": [TEXT], "env": [{"name": TEXT, "value": TEXT}], "apiVersion": TEXT, "installHint": TEXT,
    "provideClusterInfo": FLAG, "interactiveMode": TEXT,
}  # fmt: skip
_USER: Final = {
    "client-certificate": TEXT, "client-certificate-data": DATA, "client-key": TEXT, "client-key-data": DATA,
    "token": TEXT, "tokenFile": TEXT, "as": TEXT, "as-uid": TEXT, "as-groups": [TEXT], "as-user-extra": {"*": [TEXT]},
    "username": TEXT, "password": TEXT, "auth-provider": {"name": TEXT, "config": {"*": TEXT}}, "exec": _EXEC,
    "extensions": _EXTENSIONS,
}  # fmt: skip
_CONTEXT: Final = {"cluster": TEXT, "user": TEXT, "namespace": TEXT, "extensions": _EXTENSIONS}
CONFIG: Final = {
    "kind": TEXT, "apiVersion": TEXT, "current-context": TEXT,
    "preferences": {"colors": FLAG, "extensions": _EXTENSIONS}, "extensions": _EXTENSIONS,
    "clusters": [{"name": TEXT, "cluster": _CLUSTER}],
    "contexts": [{"name": TEXT, "context": _CONTEXT}],
    "users": [{"name": TEXT, "user": _USER}],
}  # fmt: skip

_ABSENT: Final = {TEXT: "", DATA: "", FLAG: False, ANY: None}


class Misshapen(Exception):  # noqa: N818 - turned into an error that names the file by the one who knows it
    """`where` is a path such as `users[0].user.token`, `wanted` what should be there."""

    def __init__(self, where: str, wanted: str) -> None:
        super().__init__(f"{where} is not {wanted}")
        self.where, self.wanted = where, wanted


def fit(value: Any, shape: Shape, where: str = "") -> Any:
    """Give `value` without nulls and unknown fields; Misshapen where it does not have `shape`."""
    if isinstance(shape, list):
        if not isinstance(value, list):
            raise Misshapen(where, "a list")
        return [_element(inner, shape[0], f"{where}[{at}]") for at, inner in enumerate(value)]
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            raise Misshapen(where, "a mapping")
        return _fields(value, shape, where)
    if shape == DATA:
        _decodes(value, where)
    elif shape != ANY and type(value) is not (bool if shape == FLAG else str):
        raise Misshapen(where, shape)
    return value


def _fields(value: Raw, shape: Shape, where: str) -> Raw:
    if "*" in shape:
        return {
            _key(key, where): _element(inner, shape["*"], f"{where}.{key}") for key, inner in value.items()
        }
    dot = "." if where else ""
    return {
        key: fit(value[key], inner, f"{where}{dot}{key}")
        for key, inner in shape.items()
        if value.get(key) is not None
    }


def _key(key: Any, where: str) -> str:
    """Give the key as the text that it is in JSON, which has no others."""
    if not isinstance(key, str | int | float):
        raise Misshapen(where, "a mapping from text")
    return str(key).lower() if isinstance(key, bool) else str(key)


def _element(value: Any, shape: Shape, where: str) -> Any:
    """Give one of many; there a null stands for the empty value."""
    if value is not None:
        return fit(value, shape, where)
    return [] if isinstance(shape, list) else {} if isinstance(shape, dict) else _ABSENT[shape]


def _decodes(value: Any, where: str) -> None:
    if type(value) is not str:
        raise Misshapen(where, TEXT)
    try:
        decode_base64(value)
    except ValueError:
        raise Misshapen(where, DATA) from None


def decode_base64(text: str) -> bytes:
    """Decode as Go does, which passes over line breaks and over nothing else; ValueError for other text."""
    return a2b_base64(text.replace("\n", "").replace("\r", ""), strict_mode=True)
