"""`migrate --status` for people: phase, step, counts, who works on it, what to run next."""

from kubectl_kruise.engine.migration.journal import Mode
from kubectl_kruise.engine.migration.pairs import migrating_kind
from kubectl_kruise.objects.raw import Raw, dig


def status_lines(record: Raw, step: str) -> list[str]:
    """Write a MigrationStatus; `step` is the sentence of what is due."""
    source, target = record["source"], record["target"]
    where = f"mode {record['mode']}, namespace {source['namespace']}, id {record['id']}"
    lines = [
        f"{_called(source)} {source['name']} → {_called(target)} {target['name']}   {where}",
        f"  phase   {record['phase']}, begun {record['startedAt']}",
    ]
    states = record["steps"]
    running = next(
        (at for at, state in enumerate(states, 1) if state["state"] in ("running", "failed")), None
    )
    if running:
        lines.append(f"  step    {running} of {len(states)}: {step}")
    else:
        lines.append(f"  step    {step}")
    if counts := record.get("counts"):
        lines.append(f"  moved   {counts['moved']} of {counts['total']}, {counts['ready']} ready")
    pods = record["pods"]
    if record["mode"] == Mode.ADOPT and any(pods.values()):  # nothing is counted before the pods have moved
        lines.append(
            f"  pods    {pods['kept']} kept, {len(pods['lost'])} lost, {len(pods['restarted'])} restarted"
        )
    if record["lowestReady"] is not None:
        lines.append(f"  lowest  {record['lowestReady']} ready")
    if holder := dig(record, ("holder", "name")):
        lines.append(f"  held    by {holder}, last seen {record['holder']['renewedAt']}")
    if following := record.get("next"):
        lines.append(f"  next    {following}")
    undo = next((state["undo"] for state in states if state.get("undo")), "")
    if undo and undo != record.get("next"):
        lines.append(f"  undo    {undo}")
    return lines


def _called(reference: Raw) -> str:
    return migrating_kind(reference["apiVersion"], reference["kind"]).called
