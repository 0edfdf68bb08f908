"""`convert -f`: Advanced StatefulSets of manifests in v1beta1, everything else as it was."""

from collections.abc import Sequence

from kubectl_kruise.cli.finding.manifests import Manifest, read_files
from kubectl_kruise.cli.session import Session
from kubectl_kruise.convert.older_statefulset import NEWER, Found, upgrade_document, why_dropped
from kubectl_kruise.errors import RefusedError, UsageError
from kubectl_kruise.facts.kinds import STATEFULSET
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.render.machine import render_documents

_PART = "---\n"


def convert_files(
    session: Session, names: Sequence[str], output: str, *, recursive: bool, strict: bool
) -> None:
    """Print the manifests with every set in v1beta1, and say on stderr what was done.

    `output` is json, yaml, or "" for the form in which each file is. Raises UsageError where no file has a set in
    either version, RefusedError with `strict` where a field was dropped.
    """
    files = read_files(names, recursive=recursive)
    found: list[Found] = []
    converted = [[upgrade_document(document, found) for document in file.documents] for file in files]
    if not found:
        raise UsageError(
            f"no {STATEFULSET.kind} of {STATEFULSET.group} in {', '.join(names)}",
            hint="native StatefulSets are moved by kubectl kruise migrate",
        )
    if output == "json":
        documents = [document for file in converted for document in file]
        session.show(render_documents(documents, output, prefix="", sort=False))
    else:
        texts = [_text(session, *pair, output) for pair in zip(files, converted, strict=True)]
        session.show(_joined(texts))
    _report(session, found)
    dropped = [path for one in found for path in one.dropped]
    if strict and dropped:
        raise RefusedError(f"converted without {', '.join(dict.fromkeys(dropped))}")


def _text(session: Session, file: Manifest, documents: Sequence[Raw], output: str) -> str:
    """Give a file's text; where it is to be another form, or cannot be changed in place, written anew."""
    from kubectl_kruise.cli.converting.edits import rewrite

    if output == "yaml" and file.is_json:
        return render_documents(documents, output, prefix="", sort=False)
    made = rewrite(file.text, documents)
    if made is not None:
        return made
    session.warn(f"{file.source} is written anew, without its comments: its layout cannot be kept")
    return render_documents(documents, "json" if file.is_json else "yaml", prefix="", sort=False)


def _joined(texts: Sequence[str]) -> str:
    """Put files behind each other, each a document of its own at least."""
    made = ""
    for text in texts:
        if made and not text.startswith("---"):
            made += _PART
        made += text if text.endswith("\n") or not text else f"{text}\n"
    return made


def _report(session: Session, found: Sequence[Found]) -> None:
    for one in found:
        shown = f"{STATEFULSET.display}/{one.name}" if one.name else STATEFULSET.display
        if one.version == NEWER:
            session.note(f"{shown} is {NEWER} already")
            continue
        session.note(f"{shown} {one.version} → {NEWER}")
        for path in one.dropped:
            session.warn(f"{shown}: {path} dropped: {why_dropped(one.version)}")
