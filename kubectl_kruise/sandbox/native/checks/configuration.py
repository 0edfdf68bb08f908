"""Checks on config maps, secrets, events and claims."""

import base64
import json
import re
from typing import Final

from kubectl_kruise.objects.notation.field_errors import (
    FieldError,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
)
from kubectl_kruise.objects.notation.quantity import parse_quantity
from kubectl_kruise.objects.raw import Raw, namespace_of
from kubectl_kruise.sandbox.native.checks.numbers import one_of, unchanged

_KEY: Final = re.compile(r"[-._a-zA-Z0-9]+", re.ASCII)
_KEY_TEXT: Final = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',"
    "  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
_LIMIT: Final = 1024 * 1024
_SECRET_KEYS: Final = {
    "kubernetes.io/dockerconfigjson": ".dockerconfigjson",
    "kubernetes.io/dockercfg": ".dockercfg",
    "kubernetes.io/ssh-auth": "ssh-privatekey",
}
_ALONE: Final = "ReadWriteOncePod"
_ACCESS_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", _ALONE)
_CLAIM_CHANGES: Final = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"


def check_config_map(new: Raw, old: Raw | None) -> list[FieldError]:
    texts, blobs = new.get("data") or {}, new.get("binaryData") or {}
    errors = []
    for name, entries in (("data", texts), ("binaryData", blobs)):
        for key in entries:
            errors += _check_key(key, f"{name}[{key}]")
            if name == "data" and key in blobs:
                errors.append(invalid(f"{name}[{key}]", key, "duplicate of key present in binaryData"))
    size = sum(len(text.encode()) for text in texts.values()) + sum(map(_decoded_size, blobs.values()))
    if size > _LIMIT:
        errors.append(too_long("[]", _LIMIT))
    if old is not None and old.get("immutable"):
        if not new.get("immutable"):
            errors.append(forbidden("immutable", "field is immutable when `immutable` is set"))
        errors += _check_frozen(new, old, ("data", "binaryData"))
    return errors


def check_secret(new: Raw, old: Raw | None) -> list[FieldError]:
    data, kind = new.get("data") or {}, new.get("type") or ""
    errors = [error for key in data for error in _check_key(key, f"data[{key}]")]
    if sum(map(_decoded_size, data.values())) > _LIMIT:
        errors.append(too_long("data", _LIMIT))
    wanted = _SECRET_KEYS.get(kind)
    if wanted and wanted not in data:
        errors.append(required(f"data[{wanted}]"))
    elif wanted and wanted.startswith(".docker"):
        errors += _check_json(data[wanted], wanted)
    if kind == "kubernetes.io/basic-auth" and not {"username", "password"} & data.keys():
        errors += [required("data[username]"), required("data[password]")]
    if kind == "kubernetes.io/tls":
        errors += [required(f"data[{key}]") for key in ("tls.crt", "tls.key") if key not in data]
    if old is not None:
        errors += unchanged(new, old, "type", "")
        if old.get("immutable"):
            if not new.get("immutable"):
                errors.append(forbidden("immutable", "field is immutable when `immutable` is set"))
            errors += _check_frozen(new, old, ("data",))
    return errors


def check_event(new: Raw, _: Raw | None) -> list[FieldError]:
    field = "regarding" if "regarding" in new else "involvedObject"
    subject = new.get(field) or {}
    if new.get("eventTime") is not None and "eventTime" in new:
        return []
    place = namespace_of(new)
    about = subject.get("namespace") or ""
    fits = about == place or (not about and place == "default")
    return [] if fits else [invalid(f"{field}.namespace", about, "does not match event.namespace")]


def check_claim(new: Raw, old: Raw | None) -> list[FieldError]:
    errors = check_claim_spec(new.get("spec") or {}, "spec")
    if old is not None and _fixed(new, old) != _fixed(old, old):
        errors.append(forbidden("spec", _CLAIM_CHANGES))
    return errors


def check_claim_spec(spec: Raw, at: str) -> list[FieldError]:
    """Check what a claim, or a template of one, asks for."""
    modes = spec.get("accessModes") or []
    errors = [] if modes else [required(f"{at}.accessModes", "at least 1 access mode is required")]
    errors += [
        not_supported(f"{at}.accessModes", mode, _ACCESS_MODES) for mode in modes if mode not in _ACCESS_MODES
    ]
    if _ALONE in modes and any(mode != _ALONE and mode in _ACCESS_MODES for mode in modes):
        errors.append(forbidden(f"{at}.accessModes", f"may not use {_ALONE} with other access modes"))
    storage = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    if storage is None:
        errors.append(required(f"{at}.resources[storage]"))
    elif parse_quantity(storage).nanos <= 0:
        errors.append(invalid(f"{at}.resources[storage]", storage, "must be greater than zero"))
    return errors + one_of(spec, "volumeMode", ("Block", "Filesystem"), at)


def _fixed(claim: Raw, old: Raw) -> Raw:
    """Leave out of a claim's spec what may change, given what it was: more once it is bound to a volume."""
    free = {"volumeName"} if not (old.get("spec") or {}).get("volumeName") else set()
    if (old.get("status") or {}).get("phase") == "Bound":
        free |= {"resources", "volumeAttributesClassName"}
    return {key: value for key, value in (claim.get("spec") or {}).items() if key not in free}


def _check_frozen(new: Raw, old: Raw, names: tuple[str, ...]) -> list[FieldError]:
    text = "field is immutable when `immutable` is set"
    return [forbidden(name, text) for name in names if new.get(name) != old.get(name)]


def _check_key(key: str, field: str) -> list[FieldError]:
    if key in {".", ".."}:
        return [invalid(field, key, f"must not be '{key}'")]
    return [] if _KEY.fullmatch(key) else [invalid(field, key, _KEY_TEXT)]


def _check_json(value: str, key: str) -> list[FieldError]:
    try:
        json.loads(base64.b64decode(value))
    except ValueError as fault:
        return [invalid(f"data[{key}]", "<secret contents redacted>", str(fault))]
    return []


def _decoded_size(value: str) -> int:
    return len(value) * 3 // 4 - value[-2:].count("=")
