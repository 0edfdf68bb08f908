"""Kubeconfig files as kubectl reads them: several files, first definition wins, paths relative to their own file.

The rules are client-go's (cli.md §3.1); the tests compare with kubectl and with the official Python loader.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from kubectl_kruise.cluster.login.plainyaml import read_plain
from kubectl_kruise.cluster.login.shape import CONFIG, Misshapen, fit
from kubectl_kruise.errors import UsageError
from kubectl_kruise.objects.raw import Raw

SECTIONS: Final = {"clusters": "cluster", "contexts": "context", "users": "user"}
PATHS: Final = {
    "clusters": ("certificate-authority",),
    "users": ("client-certificate", "client-key", "tokenFile"),
}


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
    """Give the files to read: `--kubeconfig` alone, else those that KUBECONFIG names, else `~/.kube/config`.

    Raises UsageError where the file of the flag does not exist; of the others those that do not exist are passed over.
    """
    if flag:
        try:
            Path(flag).stat()
        except FileNotFoundError:
            raise UsageError(
                f"the kubeconfig file {flag} does not exist", hint="check --kubeconfig"
            ) from None
        except OSError:
            pass  # whoever reads it says why that cannot be done
        return [Path(flag)]
    if listed := environ.get("KUBECONFIG", ""):
        return [Path(name) for name in listed.split(os.pathsep) if name]
    return [home / ".kube" / "config"]


def load_kubeconfig(paths: Sequence[Path]) -> Kubeconfig:
    """Read and merge files; of entries with the same name the first counts, whole. Missing files are passed over.

    Raises UsageError that names the file for one that cannot be read or has another shape.
    """
    merged: dict[str, dict[str, Raw]] = {section: {} for section in SECTIONS}
    files: list[str] = []
    current = ""
    for path in paths:
        document = _read(path)
        if document is None:
            continue
        files.append(str(path))
        current = current or document.get("current-context", "")
        for section in SECTIONS:
            for name, body in _entries(document, section, path):
                merged[section].setdefault(name, body)
    return Kubeconfig(tuple(files), current, **merged)


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


def _read(path: Path) -> Raw | None:
    """Give the document of a file in the shape of `CONFIG`, None where there is no such file."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        cause = error.strerror or str(error)
        raise UsageError(f"cannot read the kubeconfig file {path}", cause=cause) from error
    try:
        # A shell of Windows writes what goes into a file as UTF-16, and says so in the first two bytes.
        text = content.decode("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"cannot read the kubeconfig file {path}", cause=str(error)) from None
    document = _parse(text, path)
    malformed = f"the kubeconfig file {path} is malformed"
    try:
        config: Raw = fit({} if document is None else document, CONFIG)
    except Misshapen as error:
        hint = (
            f"put the value of {error.where.rpartition('.')[2]} in quotes"
            if error.wanted == "a string"
            else ""
        )
        cause = str(error) if error.where else "its top level is not a mapping"
        raise UsageError(malformed, cause=cause, hint=hint) from None
    if config.get("kind", "") not in ("", "Config") or config.get("apiVersion", "") not in ("", "v1"):
        raise UsageError(malformed, cause="it is not of kind Config in version v1")
    return config


def _parse(text: str, path: Path) -> object:
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text)
        except ValueError:
            pass  # a flow mapping of YAML may look like JSON
    elif (plain := read_plain(text)) is not None:
        return plain
    import yaml

    from kubectl_kruise.cluster.goyaml import read_first

    try:
        return read_first(text)
    except yaml.YAMLError as error:
        problem, mark = getattr(error, "problem", None), getattr(error, "problem_mark", None)
        # The text of the error quotes the line, which may hold a token.
        where = f"line {mark.line + 1}: {problem}" if mark else str(problem or "not YAML")
        raise UsageError(f"the kubeconfig file {path} is not YAML", cause=where) from None


def _entries(document: Raw, section: str, path: Path) -> Iterator[tuple[str, Raw]]:
    seen = set()
    for entry in document.get(section, ()):
        name = entry.get("name", "")
        if name in seen:
            cause = f'{section} has "{name}" twice'
            raise UsageError(f"the kubeconfig file {path} is malformed", cause=cause)
        seen.add(name)
        yield name, _resolved(entry.get(SECTIONS[section], {}), section, path.absolute().parent)


def _resolved(body: Raw, section: str, folder: Path) -> Raw:
    for key in PATHS.get(section, ()):
        if body.get(key):
            body[key] = _beside(folder, body[key])
    plugin = body.get("exec", {})
    # A bare command is looked for in PATH; one with a slash lies where the file says.
    if os.sep in plugin.get("command", ""):
        plugin["command"] = _beside(folder, plugin["command"])
    return body


def _beside(folder: Path, path: str) -> str:
    """Give a path of a file in `folder`, `..` taken by name as kubectl does, also behind a link."""
    return path if os.path.isabs(path) else os.path.normpath(folder / path)  # noqa: PTH117 - pathlib cannot normalise
