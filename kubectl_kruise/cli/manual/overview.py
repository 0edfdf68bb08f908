"""Help of the root and of groups, from the catalog alone, in kubectl's grouped style."""

from kubectl_kruise.cli.catalog import GROUPS, PROGRAM, SECTIONS, VERBS, visible
from kubectl_kruise.cli.manual.layout import pairs

_ABOUT = "kubectl kruise steers OpenKruise workloads: rollouts, in-place updates, chosen pods."


def root_help() -> str:
    blocks = [_ABOUT]
    for section in SECTIONS:
        rows = [(verb.words, verb.summary) for verb in visible() if verb.section == section]
        blocks.append(f"{section}:\n{pairs(rows, indent=2)}")
    blocks.append(f"Usage:\n  {PROGRAM} COMMAND [options]")
    blocks.append(
        f'Use "{PROGRAM} COMMAND --help" for more about a command, "{PROGRAM} options" for the\n'
        f'options that every command takes, "{PROGRAM} help exit-codes" for the exit codes.'
    )
    return "\n\n".join(blocks) + "\n"


def group_help(group: str) -> str:
    summary = next(known.summary for known in GROUPS if known.words == group)
    rows = [
        (verb.words.removeprefix(f"{group} "), verb.summary)
        for verb in visible(VERBS)
        if verb.words.startswith(f"{group} ")
    ]
    return (
        f"{summary}\n\nCommands:\n{pairs(rows, indent=2)}\n\nUsage:\n  {PROGRAM} {group} COMMAND [options]\n\n"
        f'Use "{PROGRAM} {group} COMMAND --help" for more about a command.\n'
    )
