"""Where things are: the checkout, and what the tests read."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
DATA: Final = Path(__file__).with_name("data")
