"""What a call used and what that cost, by a table of list prices that users can replace."""

from __future__ import annotations

import functools
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ConfigurationError

_PACKAGED = Path(__file__).parent.parent / "modules" / "prices.json"
_REPOSITORY = Path(__file__).resolve().parents[4] / "prices.json"
# `-2024-08-06`, `-20250514`, `-0613`, `-001`, `-latest`; Vertex writes the date after an `@`.
_VERSION = re.compile(r"[-@](?:latest|\d{4}-\d{2}-\d{2}|\d{8}|\d{3,4})\Z")


@dataclass
class Usage:
    """Tokens. `input` holds the cached and the newly cached ones, `output` those of reasoning."""

    input: int = 0
    output: int = 0
    cached: int = 0
    cache_write: int = 0
    total: int | None = None

    def cost(self, *models: str | None) -> float | None:
        """US dollars for the first of the models that the table knows, or None."""
        for model in models:
            price = _price(model)
            if price is None:
                continue
            above = price.get("above")
            if above is not None and self.input > above["tokens"]:
                price = above
            fresh = self.input - self.cached - self.cache_write
            dollars = (
                fresh * price["input"]
                + self.cached * price.get("cached_input", price["input"])
                + self.cache_write * price.get("cache_write", price["input"])
                + self.output * price["output"]
            )
            return float(dollars / prices()["tokens"])
        return None


def _price(model: str | None) -> dict[str, Any] | None:
    if not model:
        return None
    models: dict[str, dict[str, Any]] = prices()["models"]
    name = model.rsplit("/", 1)[-1]
    return models.get(name) or models.get(_VERSION.sub("", name))


def prices() -> dict[str, Any]:
    """The table in force; raises ConfigurationError when the file is none."""
    return _table(os.environ.get("PLATFORM_LLM_PRICES") or None)


@functools.lru_cache(maxsize=4)
def _table(given: str | None) -> dict[str, Any]:
    path = Path(given) if given else _PACKAGED if _PACKAGED.is_file() else _REPOSITORY
    try:
        table: dict[str, Any] = json.loads(path.read_text())
        for price in table["models"].values():
            _ = float(price["input"]), float(price["output"])
        if not table["tokens"] > 0:
            raise ValueError("tokens must be positive")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as cause:
        raise ConfigurationError(f"{path} is not a table of prices") from cause
    return table
