"""One base error with a stable machine code, and one class for each family of failures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class PlatformError(Exception):
    """Base of every error of the SDK. `code` is stable and lower_snake; `data` holds what a program
    may use."""

    code = "internal"

    def __init__(
        self, message: str = "", *, code: str | None = None, data: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message or code or self.code)
        if code is not None:
            self.code = code
        self.data: dict[str, Any] = dict(data or {})


class AuthenticationError(PlatformError):
    """No identity is available: the process does not run under the platform."""

    code = "caller_unknown"


class CredentialError(PlatformError):
    """Policy or a provider refused the call. `decision_id` names the decision when there is one."""

    code = "denied"

    @property
    def decision_id(self) -> str | None:
        found = self.data.get("decision_id")
        return found if isinstance(found, str) else None


class ConfigurationError(PlatformError):
    """A setting of the SDK is missing or wrong."""

    code = "configuration_invalid"


class BuildError(PlatformError):
    """Building the agent's artifacts failed."""

    code = "build_failed"


class DeploymentError(PlatformError):
    """Deploying the agent failed."""

    code = "deployment_failed"


class FrameworkError(PlatformError):
    """The agent's framework could not be detected."""

    code = "framework_unknown"


class ProcessContextError(PlatformError):
    """The process context file could not be created."""

    code = "process_context_failed"


class GuardrailError(PlatformError):
    """The guard blocked a prompt or a response; `scanners` says which scanners, never the text."""

    code = "guard_blocked"

    def __init__(
        self,
        message: str = "",
        *,
        scanners: Mapping[str, Any] | None = None,
        code: str | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, code=code, data=data)
        self.scanners: dict[str, Any] = dict(scanners or {})


class InputError(PlatformError):
    """An input that no module reads: too large, not UTF-8, not portable JSON."""

    code = "input_invalid"


class ModuleError(PlatformError):
    """A decision module is missing, is not the expected one, or trapped."""

    code = "module_trapped"


class BundleError(PlatformError):
    """A bundle is missing, damaged, not signed by a trusted key, or not made for these modules."""

    code = "bundle_missing"
