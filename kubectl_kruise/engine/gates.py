"""Feature gates of the manager that change a decision of the engine (cloneset.md §3)."""

from typing import NamedTuple


class Gates(NamedTuple):
    """Each gate with the default it has in the manager."""

    partition_rollback: bool = False
    short_hash: bool = False
    preparing_update_as_update: bool = False
    env_from_metadata: bool = True
    recreate_on_claim_change: bool = False
