OPTIONS: dict[str, tuple[tuple[str, str], ...]] = {}
