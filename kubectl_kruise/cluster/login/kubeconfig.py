"""Kubeconfig files as kubectl reads them: several files, first definition wins, paths relative to their own file.

The rules are client-go's (cli.md §3.1); the tests compare with kubectl and with the official Python loader.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from kubectl_kruise.cluster.login.plainyaml import read_plain
from kubectl_kruise.errors import UsageError
from kubectl_kruise.objects.raw import Raw

SECTIONS: Final = {"clusters": "cluster", "contexts": "context", "users": "user"}
PATHS: Final = {
    "clusters": ("certificate-authority",),
    "users": ("client-certificate", "client-key", "tokenFile"),
}
TEXTS: Final = {
    "clusters": (
        "server", "tls-server-name", "certificate-authority", "certificate-authority-data", "proxy-url",
    ),
    "contexts": ("cluster", "user", "namespace"),
    "users": (
        "token", "tokenFile", "username", "password", "client-certificate", "client-certificate-data",
        "client-key", "client-key-data",
    ),
}  # fmt: skip


class Kubeconfig(NamedTuple):
    """Entries by name, file paths in them absolute, null values left out; `files` are those that were read."""

    files: tuple[str, ...]
    current_context: str
    clusters: Mapping[str, Raw]
    contexts: Mapping[str, Raw]
    users: Mapping[str, Raw]


class Choice(NamedTuple):
    """What one context means; `namespace` is "" where the context names none."""

    context: str
    namespace: str
    cluster: Raw
    user: Raw
    user_name: str


def find_files(flag: str, environ: Mapping[str, str], home: Path) -> list[Path]:
    """Give the files to read: `--kubeconfig` alone, else those of KUBECONFIG that exist, else `~/.kube/config`.

    Raises UsageError where the file of the flag does not exist.
    """
    if flag:
        if not Path(flag).is_file():
            raise UsageError(f"the kubeconfig file {flag} does not exist", hint="check --kubeconfig")
        return [Path(flag)]
    listed = [Path(name) for name in environ.get("KUBECONFIG", "").split(os.pathsep) if name]
    return [path for path in listed or [home / ".kube" / "config"] if path.exists()]


def load_kubeconfig(paths: Sequence[Path]) -> Kubeconfig:
    """Read and merge files; of entries with the same name the first counts, whole.

    Raises UsageError that names the file for one that cannot be read or has another shape.
    """
    merged: dict[str, dict[str, Raw]] = {section: {} for section in SECTIONS}
    current = ""
    for path in paths:
        document = _read(path)
        current = current or _current(document, path)
        for section in SECTIONS:
            for name, body in _entries(document, section, path):
                merged[section].setdefault(name, body)
    return Kubeconfig(tuple(map(str, paths)), current, **merged)


def choose(
    config: Kubeconfig, *, context: str = "", cluster: str = "", user: str = "", server: str = ""
) -> Choice:
    """Pick the entries that the flags name; a context without user is anonymous.

    Raises UsageError naming the entry that is missing. With `server` no cluster entry is needed.
    """
    name = context or config.current_context
    chosen = _named(config.contexts, name, "context", config) if name else {}
    if not name and not cluster and not server:
        raise UsageError(
            "no current context",
            cause=f"in {', '.join(config.files)}" if config.files else "no kubeconfig file was found",
            hint="kubectl config get-contexts, then --context NAME"
            if config.contexts
            else "set KUBECONFIG; to try without a cluster: kubectl kruise sandbox start",
        )
    cluster_name = cluster or chosen.get("cluster", "")
    user_name = user or chosen.get("user", "")
    if not cluster_name and not server:
        raise UsageError(f'context "{name}" names no cluster')
    return Choice(
        name,
        chosen.get("namespace", ""),
        _named(config.clusters, cluster_name, "cluster", config) if cluster_name else {},
        _named(config.users, user_name, "user", config) if user_name else {},
        user_name,
    )


def _named(entries: Mapping[str, Raw], name: str, sort: str, config: Kubeconfig) -> Raw:
    if name not in entries:
        raise UsageError(
            f'{sort} "{name}" does not exist',
            cause=f"in {', '.join(config.files)}" if config.files else "no kubeconfig file was found",
            hint=f"known: {', '.join(entries)}" if entries else "",
        )
    return entries[name]


def _read(path: Path) -> Raw:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the kubeconfig file {path}", cause=str(error)) from error
    document = _parse(text, path)
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise UsageError(
            f"the kubeconfig file {path} is no kubeconfig", cause="its top level is not a mapping"
        )
    return document


def _parse(text: str, path: Path) -> object:
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text)
        except ValueError:
            pass  # a flow mapping of YAML may look like JSON
    elif (plain := read_plain(text)) is not None:
        return plain
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(text, loader)  # noqa: S506 - one of the two safe loaders
    except yaml.YAMLError as error:
        problem, mark = getattr(error, "problem", None), getattr(error, "problem_mark", None)
        # The text of the error quotes the line, which may hold a token.
        where = f"line {mark.line + 1}: {problem}" if mark else str(problem or "not YAML")
        raise UsageError(f"the kubeconfig file {path} is not YAML", cause=where) from None


def _current(document: Raw, path: Path) -> str:
    value = document.get("current-context") or ""
    if not isinstance(value, str):
        raise UsageError(f"the kubeconfig file {path} is malformed", cause="current-context is not a string")
    return value


def _entries(document: Raw, section: str, path: Path) -> Iterator[tuple[str, Raw]]:
    listed = document.get(section) or []
    malformed = f"the kubeconfig file {path} is malformed"
    if not isinstance(listed, list):
        raise UsageError(malformed, cause=f"{section} is not a list")
    seen = set()
    for entry in listed:
        if not isinstance(entry, dict) or not isinstance(entry.get("name", ""), str):
            raise UsageError(malformed, cause=f"{section} has an entry without a name that is a string")
        name = entry.get("name", "")
        if name in seen:
            raise UsageError(malformed, cause=f'{section} has "{name}" twice')
        seen.add(name)
        body = entry.get(SECTIONS[section]) or {}
        if not isinstance(body, dict):
            raise UsageError(malformed, cause=f'"{name}" of {section} is not a mapping')
        yield (
            name,
            _checked({key: value for key, value in body.items() if value is not None}, section, name, path),
        )


def _checked(body: Raw, section: str, name: str, path: Path) -> Raw:
    for key in TEXTS[section]:
        if not isinstance(body.get(key, ""), str):
            raise UsageError(
                f"the kubeconfig file {path} is malformed",
                cause=f'{key} of "{name}" in {section} is not a string',
                hint=f"put the value of {key} in quotes",
            )
    return _resolved(body, section, path.absolute().parent)


def _resolved(body: Raw, section: str, folder: Path) -> Raw:
    for key in PATHS.get(section, ()):
        if body.get(key):
            body[key] = str(folder / body[key])
    plugin = body.get("exec")
    # A bare command is looked for in PATH; one with a slash lies where the file says.
    if section == "users" and isinstance(plugin, dict) and os.sep in str(plugin.get("command") or ""):
        body["exec"] = {**plugin, "command": str(folder / plugin["command"])}
    return body
