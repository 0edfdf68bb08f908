"""Whether two states of an object are the same JSON."""

import orjson

from kubectl_kruise.objects.raw import Raw


def same(new: Raw, old: Raw) -> bool:
    """Compare two objects as JSON, whatever the order of their keys: Python holds 1 and true for equal."""
    return new == old and orjson.dumps(new, option=orjson.OPT_SORT_KEYS) == orjson.dumps(
        old, option=orjson.OPT_SORT_KEYS
    )
