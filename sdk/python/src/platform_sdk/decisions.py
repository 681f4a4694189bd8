"""Decides in process: the same modules, the same commitments, the same decision id as every other
host of the platform."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from ._execute import BOUNDARIES, MODULES, Executor, Identifier, Modules, failure
from ._obligations import HONOURED, Judgement, Reason, judge, obligations_of, parse_output
from ._read import Opening, read_input
from .bundles import Files, FolderSource, Follower, Key, Pair, UrlSource, pair_of, read_bundle
from .bundles._keys import keys_of
from .errors import ConfigurationError, InputError, PlatformError

__all__ = ["BOUNDARIES", "HONOURED", "MODULES", "Decider", "Decision", "Opening", "Reason"]

_SALT_BYTES = 32
_JUDGEMENTS_KEPT = 256

#: The path of a file with a JWK or a JWK set, or the keys themselves.
Keys = str | os.PathLike[str] | Iterable[Key]


@dataclass(frozen=True)
class Decision:
    """The answer, and all that is needed to recompute it."""

    #: 64 hex digits; equal ids at two points prove that both decided alike.
    id: str
    allow: bool
    reason: Reason
    #: The policy rule that said so, or the module's name.
    rule: str
    #: Ids of the compliance controls that the rule maps to.
    controls: tuple[str, ...]
    boundary: str
    module: str
    #: Revisions of the bundles in force; empty when there were none.
    policy_revision: str
    data_revision: str
    #: Canonical JSON, committed fields replaced.
    committed_input: bytes = field(repr=False)
    #: Canonical JSON.
    output_bytes: bytes = field(repr=False)
    openings: tuple[Opening, ...] = field(repr=False)

    @property
    def output(self) -> dict[str, Any]:
        """The module's answer as a value."""
        return parse_output(self.output_bytes)

    @property
    def obligations(self) -> list[dict[str, Any]]:
        """What the caller must do for an allow to hold."""
        return obligations_of(self.output) or []


class Decider:
    """Decides under one pair of bundles; may be shared between threads.

    `bundles` is a folder with `policy` and `data`, each a folder or a `.tar.gz`; `keys` verify it:
    the path of a file with a JWK or a JWK set, or JWKs. Only `verify=False` takes bundles as they
    are. `modules` is a folder with the Wasm modules, by default the package's own; a verified
    bundle must list the digest of each. Without bundles everything is denied with `bundle_missing`.

    Raises BundleError with the code of the first thing that is wrong.
    """

    def __init__(
        self,
        bundles: str | os.PathLike[str] | None = None,
        keys: Keys | None = None,
        *,
        modules: str | os.PathLike[str] | None = None,
        verify: bool = True,
    ) -> None:
        self._modules = Modules(modules)
        self._fixed: _Force | None = None
        self._follower: Follower[_Force] | None = None
        self._judgements: dict[tuple[str, bytes, tuple[str, ...]], Judgement] = {}
        if bundles is not None:
            trusted = _trusted(keys, verify)
            folder = os.fspath(bundles)
            files = [read_bundle(os.path.join(folder, name)) for name in ("policy", "data")]
            pair = pair_of(files[0], files[1], trusted, self._modules.digests)
            self._fixed = _Force(pair, self._modules)

    @classmethod
    def following(
        cls,
        bundles: str | os.PathLike[str] | tuple[str, str],
        keys: Keys,
        *,
        modules: str | os.PathLike[str] | None = None,
        token: str | None = None,
        interval: float | None = None,
        on_error: Callable[[PlatformError], object] | None = None,
    ) -> Decider:
        """A decider that follows its bundles: `bundles` is a folder, looked at every 2 seconds, or
        the URLs of the policy bundle and of the data bundle (`.tar.gz`), asked for by their ETags
        every 30 seconds, with `token` as a bearer token; `interval` is another number of seconds.

        Each change is verified whole and swapped in between two decisions. A bad pair is reported
        to `on_error`, in the thread that looks, and the last good one stays; until there is a good
        one, everything is denied. `close` ends the thread.
        """
        self = cls(modules=modules)
        trusted = keys_of(keys)

        def make(policy: Files, data: Files, before: _Force | None) -> _Force:
            pair = pair_of(policy, data, trusted, self._modules.digests)
            if before is not None and before.pair == pair:
                return before
            return _Force(pair, self._modules)

        if isinstance(bundles, tuple):
            source: FolderSource | UrlSource = UrlSource(*bundles, token=token)
        else:
            source = FolderSource(bundles)
        self._follower = Follower(source, make, interval=interval, on_error=on_error)
        return self

    @property
    def pair(self) -> Pair | None:
        """The pair in force; None when there is none."""
        force = self._in_force()
        return None if force is None else force.pair

    @property
    def error(self) -> PlatformError | None:
        """Why what is in the folder or at the URLs is not in force; None when it is."""
        return None if self._follower is None else self._follower.error

    def refresh(self) -> None:
        """Looks at the bundles now, and returns when what is there is in force or refused."""
        if self._follower is not None:
            self._follower.refresh()

    def close(self) -> None:
        """Ends following; the pair in force stays so."""
        if self._follower is not None:
            self._follower.close()

    def __enter__(self) -> Decider:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def decide(
        self,
        boundary: str,
        module: str,
        input: Any,
        *,
        salt: bytes | None = None,
        schema: bytes | None = None,
        honours: Sequence[str] = (),
    ) -> Decision:
        """Decides one input, given as UTF-8 JSON bytes or as a JSON value; whatever fails is a deny
        with a reason code and an id.

        `salt`, 32 bytes, is random unless given: the first point that decides about a request fixes
        it. `schema` is for the module `arguments`: the tool's schema as canonical JSON, whose
        digest the input names. `honours` lists the kinds of obligations that the caller will
        honour; an allow with any other one is a deny.

        Raises InputError for a boundary or a module that there is not, and for another salt.
        """
        if boundary not in BOUNDARIES or module not in MODULES:
            raise InputError(f"nothing decides {boundary!r} {module!r}")
        salt = os.urandom(_SALT_BYTES) if salt is None else salt
        if not isinstance(salt, (bytes, bytearray)) or len(salt) != _SALT_BYTES:
            raise InputError(f"a salt is {_SALT_BYTES} bytes")
        # One look: what is swapped in from here on is for the next decision.
        force = self._in_force()
        read = read_input(self._modules.record, boundary, module, input, salt)
        if read.canonical is None:
            output = failure(read.refused)
        elif force is None:
            output = failure("bundle_missing")
        else:
            try:
                output = force.executor.execute(boundary, module, read.canonical, schema)
            except PlatformError as error:
                output = failure(error.code)
        identifier = _NOTHING if force is None else force.identifier
        judgement = self._judge(module, output, tuple(honours))
        return Decision(
            identifier.id_of(boundary, module, read.committed, output),
            judgement.allow,
            judgement.reason,
            judgement.rule,
            judgement.controls,
            boundary,
            module,
            identifier.policy_revision,
            identifier.data_revision,
            read.committed,
            output,
            read.openings,
        )

    def _in_force(self) -> _Force | None:
        return self._fixed if self._follower is None else self._follower.current()

    def _judge(self, module: str, output: bytes, honours: tuple[str, ...]) -> Judgement:
        key = (module, output, honours)
        known = self._judgements.get(key)
        if known is None:
            known = judge(module, parse_output(output), honours)
            if len(self._judgements) >= _JUDGEMENTS_KEPT:
                self._judgements.clear()
            self._judgements[key] = known
        return known


class _Force:
    """What decides: one pair, its executor and its ids."""

    def __init__(self, pair: Pair, modules: Modules) -> None:
        self.pair = pair
        self.executor = Executor(pair, modules)
        self.identifier = Identifier(pair)


_NOTHING = Identifier(None)


def _trusted(keys: Keys | None, verify: bool) -> list[Key] | None:
    if not verify:
        return None
    if keys is None:
        raise ConfigurationError("bundles are verified: give keys, or say verify=False")
    return keys_of(keys)
