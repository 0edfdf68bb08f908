"""How workloads of Kruise replace or change their pods, as their specs name it (kinds.md §3)."""

from typing import Final

RECREATE: Final = "ReCreate"
IN_PLACE_IF_POSSIBLE: Final = "InPlaceIfPossible"
IN_PLACE_ONLY: Final = "InPlaceOnly"
ON_DELETE: Final = "OnDelete"
ROLLING_UPDATE: Final = "RollingUpdate"
