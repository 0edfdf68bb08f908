"""Which migrations are meant where none is named: those begun in a namespace, by the labels of their source."""

from collections.abc import Sequence

from kubectl_kruise.cli.finding.targets import Target, parse_words
from kubectl_kruise.cli.migrating.order import Order
from kubectl_kruise.cli.options import Selection
from kubectl_kruise.cli.session import Session
from kubectl_kruise.errors import NotFoundError, UsageError
from kubectl_kruise.objects.raw import labels_of
from kubectl_kruise.operations.migrate.journal.journals import Found, find_journals


def begun_targets(session: Session, which: Selection, order: Order) -> list[Target]:
    """Give the sources of the migrations begun that `-l`, `--all`, `-A` and the kinds named choose.

    Their sources may be gone by now, so the journals are asked. Raises NotFoundError where there is none.
    """
    kinds = {named.kind.kind for named in parse_words(which.words or []) if named.kind}
    if any(named.name for named in parse_words(which.words or [])) or which.filename:
        raise UsageError("-l and --all choose among migrations, so they do not go with names or files")
    namespace = "" if which.all_namespaces else session.namespace
    found = find_journals(session.cluster, session.clock, namespace, order.filing(session))
    for each in found:
        if each.failure is not None:
            session.warn(each.failure.line())
    targets = [_target(each) for each in found if each.keeper and _chosen(each, which.selector)]
    targets = [target for target in targets if not kinds or target.kind in kinds]
    if not targets:
        where = f' in namespace "{namespace}"' if namespace else ""
        raise NotFoundError(f"no migration has been begun{where}")
    return targets


def _target(found: Found) -> Target:
    assert found.keeper is not None  # noqa: S101 - those without are left out
    journal = found.keeper.journal
    return Target(journal.kind, found.namespace, journal.source.name)


def _chosen(found: Found, selector: str) -> bool:
    if not selector or found.keeper is None:
        return True
    labels = labels_of(found.keeper.journal.source_manifest)
    return matches_words(selector, labels)


def matches_words(selector: str, labels: dict[str, str]) -> bool:
    """Say whether labels fulfil equalities as typed: `a=b,c!=d,e`. Raises UsageError for anything else."""
    for part in filter(None, (word.strip() for word in selector.split(","))):
        key, operator, value = _read(part)
        holds = labels.get(key) == value if operator == "=" else key in labels
        if operator == "!=":
            holds = labels.get(key) != value
        if not holds:
            return False
    return True


def _read(part: str) -> Sequence[str]:
    if " " in part or "(" in part:
        raise UsageError(f"-l {part}: only equalities choose among migrations", hint="e.g. -l app=web")
    if "!=" in part:
        key, _, value = part.partition("!=")
        return key, "!=", value
    key, equals, value = part.replace("==", "=").partition("=")
    return key, "=" if equals else "", value
