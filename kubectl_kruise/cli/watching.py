"""`get -w`: the table as it changes, in place on a terminal, else a line for each change."""

import sys
import threading
from collections.abc import Sequence
from queue import Empty, SimpleQueue
from shutil import get_terminal_size

from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.session import Session
from kubectl_kruise.cluster.port import Change
from kubectl_kruise.cluster.watching import follow_list
from kubectl_kruise.errors import KruiseError, UsageError
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.raw import uid_of, version_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.rollout.sources import Silence
from kubectl_kruise.render.live import LONGEST, LiveLines
from kubectl_kruise.render.paint import paint
from kubectl_kruise.render.terminal import wants_color, wants_live
from kubectl_kruise.views.get import Columns, get_table
from kubectl_kruise.views.spans import BAD, Line, Span, wrap_line

News = tuple[Kind, Change | Silence] | KruiseError


def watch_table(
    session: Session,
    workloads: Sequence[Workload],
    collections: Sequence[Target],
    wanted: Columns,
    *,
    labels: str,
    headers: bool,
) -> None:
    """Show the table, then every change, until interrupted. Raises what the server answers to a watch."""
    news: SimpleQueue[News] = SimpleQueue()
    for kind, path, fields in _watched(session, workloads, collections):
        threading.Thread(target=_feed, args=(session, kind, path, labels, fields, news), daemon=True).start()
    shown = {uid_of(workload.raw): workload for workload in workloads}
    table = _Table(session, wanted, len(shown), headers=headers)
    table.start(list(shown.values()))
    silent: dict[Kind, str] = {}
    try:
        while True:
            try:
                found = news.get(timeout=table.patience)
            except Empty:
                table.again(list(shown.values()))
                continue
            if isinstance(found, KruiseError):
                raise found
            kind, change = found
            if isinstance(change, Silence):
                silent |= {kind: change.text}
                table.hear(next(filter(None, silent.values()), ""), list(shown.values()))
            elif workload := _note(shown, kind, change):
                table.change(workload, list(shown.values()))
    finally:
        table.stop()


def _watched(
    session: Session, workloads: Sequence[Workload], collections: Sequence[Target]
) -> list[tuple[Kind, str, str]]:
    """Give what to watch as (kind, path, field selector): whole collections, or the one object that was named."""
    if collections:
        return [(target.kind, session.path(target), "") for target in collections]
    if len(workloads) != 1:
        raise UsageError("-w takes kinds, or one object", hint="kubectl kruise get clonesets -w")
    (workload,) = workloads
    path = session.path(Target(workload.kind, workload.namespace, ""))
    return [(workload.kind, path, f"metadata.name={workload.name}")]


def _note(shown: dict[str, Workload], kind: Kind, change: Change) -> Workload | None:
    """Bring what is shown up to date; give the workload that changed, None where nothing did."""
    uid = uid_of(change.object)
    known = shown.get(uid)
    if change.type == "BOOKMARK" or (
        known and change.type == "ADDED" and version_of(known.raw) == version_of(change.object)
    ):
        return None
    workload = Workload(change.object, kind)
    if change.type == "DELETED":
        shown.pop(uid, None)
    else:
        shown[uid] = workload
    return workload


class _Table:
    """The table as a whole on a terminal, as single rows elsewhere."""

    def __init__(self, session: Session, wanted: Columns, rows: int, *, headers: bool) -> None:
        self._session, self._wanted, self._headers = session, wanted, headers
        self._color = wants_color(sys.stdout, session.flags.color)
        # A table that the terminal cannot hold would hide what has changed: that one comes as rows.
        fits = rows + 3 < get_terminal_size().lines
        self._live = LiveLines(sys.stdout, color=self._color) if fits and wants_live(sys.stdout) else None
        self._silence = ""

    @property
    def patience(self) -> float | None:
        """Seconds after which the table is shown again for its ages and for the terminal's sake; None for never."""
        return LONGEST if self._live else None

    def start(self, workloads: Sequence[Workload]) -> None:
        self._show(workloads, headers=self._headers)

    def change(self, workload: Workload, workloads: Sequence[Workload]) -> None:
        if self._live:
            self._show(workloads, headers=self._headers)
        else:
            self._show([workload], headers=False)

    def again(self, workloads: Sequence[Workload]) -> None:
        self._show(workloads, headers=self._headers)

    def hear(self, silence: str, workloads: Sequence[Workload]) -> None:
        """Say why the server does not answer, or with "" that it does again; once each."""
        if bool(silence) == bool(self._silence):
            return
        self._silence = silence
        if self._live:
            self.again(workloads)
        else:
            self._session.note(f"{silence}; trying again" if silence else "the server answers again")

    def stop(self) -> None:
        if self._live:
            self._live.close()

    def _show(self, workloads: Sequence[Workload], *, headers: bool) -> None:
        lines = get_table(workloads, self._wanted, self._session.clock.time(), headers=headers)
        if self._live:
            self._live.draw([*lines, *self._warning()])
        else:
            sys.stdout.write(paint(lines, color=self._color))
            sys.stdout.flush()

    def _warning(self) -> list[Line]:
        if not self._silence:
            return []
        text = f"! no news: {self._silence}; trying again"
        return wrap_line((Span(text, BAD),), get_terminal_size().columns)


def _feed(
    session: Session, kind: Kind, path: str, labels: str, fields: str, news: "SimpleQueue[News]"
) -> None:
    try:
        changes = follow_list(
            session.cluster,
            path,
            labels=labels,
            fields=fields,
            away=lambda reason: news.put((kind, Silence(reason))),
        )
        for change in changes:
            news.put((kind, change))
    except KruiseError as error:
        news.put(error)
