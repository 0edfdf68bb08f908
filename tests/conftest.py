"""Options of the whole suite."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="Write the golden files instead of comparing them."
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the files that take long begin first; else all stays in order."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
