// The errors that agents catch: the platform's base error, and one class for each family of failures.

import type { ErrorDetail } from '../../runtime/errors.ts';
import { PlatformError } from '../../runtime/errors.ts';

export type { ErrorCode } from '../../runtime/errors.ts';
export { InputError, ModuleError, PlatformError, SchemaError } from '../../runtime/errors.ts';

/** No identity is available: the process does not run under the platform. */
export class AuthenticationError extends PlatformError {
  override readonly name = 'AuthenticationError';
}

/** Policy or a provider refused. `decisionId` names the decision, where there is one. */
export class CredentialError extends PlatformError {
  override readonly name = 'CredentialError';

  /** The id under which the evidence log keeps the decision, 64 hexadecimal digits. */
  get decisionId(): string | undefined {
    const id = this.data.decision_id;
    return typeof id === 'string' ? id : undefined;
  }
}

/** A setting of the SDK is missing or wrong. */
export class ConfigurationError extends PlatformError {
  override readonly name = 'ConfigurationError';

  constructor(message: string, detail: ErrorDetail = {}) {
    super('configuration_invalid', message, detail);
  }
}

/** What one scanner found; never the text itself. */
export interface ScannerReport {
  /** 1 for a pattern that matched. */
  score: number;
  /** Null for a scanner that matches patterns. */
  threshold: number | null;
  /** Offsets are bytes of the text's UTF-8. */
  matches: { kind: string; start: number; end: number }[];
}

/** The guard blocked a prompt or a response; `scanners` says which scanners and where. */
export class GuardrailError extends PlatformError {
  override readonly name = 'GuardrailError';
  readonly scanners: Record<string, ScannerReport>;

  constructor(
    code: 'guard_blocked' | 'guard_output_blocked',
    message: string,
    scanners: Record<string, ScannerReport>,
  ) {
    super(code, message, { data: { scanners } });
    this.scanners = scanners;
  }
}
