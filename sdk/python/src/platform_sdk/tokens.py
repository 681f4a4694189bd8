"""Counts the tokens of a text exactly, in the encodings of OpenAI's models."""

from __future__ import annotations

import functools

from ._wasm import WasmModule, error_of
from .errors import InputError

# The module that counts each encoding; each is loaded only when it is asked for.
MODULES = {"cl100k_base": "tokens-cl100k", "o200k_base": "tokens-o200k"}
TEXT_BYTES_MAX = 4 * 1024 * 1024


class TokenCounter:
    """Counts one encoding; names of special tokens in a text count as the text that they are.

    A counter may be shared between threads.
    """

    def __init__(self, encoding: str, data: bytes | None = None) -> None:
        if encoding not in MODULES:
            raise InputError(f"no encoding is called {encoding!r}", code="input_invalid")
        self.encoding = encoding
        self._module = WasmModule(MODULES[encoding], data)

    @staticmethod
    @functools.lru_cache(maxsize=2)
    def load(encoding: str) -> TokenCounter:
        """The counter of the process, made when it is first asked for."""
        return TokenCounter(encoding)

    def count(self, text: str) -> int:
        """How many tokens the text is; raises InputError for half of a surrogate pair and for text
        over 4 MiB."""
        if len(text) > TEXT_BYTES_MAX:
            raise error_of(1)
        try:
            data = text.encode()
        except UnicodeEncodeError as cause:
            raise InputError("half of a surrogate pair", code="input_lone_surrogate") from cause
        return int(self._module.run("count", data))
