// The host of the guard module: scans prompts, tool arguments and responses for what must not pass.

import { InputError, ModuleError } from '../errors.ts';
import { ModuleInstance } from './instantiate.ts';

export type GuardDirection = 'input' | 'output';
export type ScannerName = 'InvisibleText' | 'PII' | 'Secrets';

/** What is scanned: `input` goes to a model or a tool, `output` came from one. */
export interface GuardRequest {
  direction: GuardDirection;
  /** At least one, none twice, each serving the direction. */
  scanners: readonly ScannerName[];
  text: string;
}

/** One place that a scanner flagged; it never holds the value found there. */
export interface GuardFinding {
  scanner: ScannerName;
  /** Such as `email`, `github_token`, `tag_characters`; docs/guard.md lists them all. */
  kind: string;
  /** Offset of the first byte in the text's UTF-8. */
  start: number;
  /** Offset one past the last byte. */
  end: number;
}

export interface GuardResult {
  /** True when nothing was found. */
  allow: boolean;
  /** Sorted by start, end, scanner and kind; the first 256. */
  findings: GuardFinding[];
  /** True when there were more findings than listed. */
  truncated: boolean;
}

/** The scanners that are built, and the directions that each serves. */
export const scanners: readonly { name: ScannerName; directions: readonly GuardDirection[] }[] = [
  { name: 'InvisibleText', directions: ['input', 'output'] },
  { name: 'PII', directions: ['input', 'output'] },
  { name: 'Secrets', directions: ['input', 'output'] },
];

/** The longest text that is scanned, in bytes of UTF-8. */
export const guardTextBytesMax = 4 * 1024 * 1024;

const decoder = new TextDecoder();

/** The scanners of wasm/guard; the answer depends on the text alone. */
export class Guard {
  readonly #module: ModuleInstance<'scan'>;

  private constructor(module: ModuleInstance<'scan'>) {
    this.#module = module;
  }

  /** Compiles the module's bytes; throws a ModuleError when they are not the guard module. */
  static create(bytes: Uint8Array): Guard {
    return new Guard(new ModuleInstance('guard', bytes, ['scan']));
  }

  /**
   * Scans a text. Throws an InputError: `input_too_large` (over 4 MiB of UTF-8), `input_lone_surrogate`,
   * `input_invalid` for an unknown scanner or one that does not serve the direction.
   */
  scan(request: GuardRequest): GuardResult {
    checkRequest(request);
    const { direction, text } = request;
    const json = JSON.stringify({ direction, scanners: request.scanners, text });
    const { pointer, length } = this.#module.writeText(json);
    return parseResult(this.#module.call('scan', pointer, length));
  }

  /** As `scan`, from the JSON bytes of a request to the canonical JSON of the result. */
  scanBytes(request: Uint8Array): Uint8Array {
    return this.#module.run('scan', request);
  }
}

/** Refuses what the module would refuse, with a message that says what is wrong. */
function checkRequest({ direction, scanners: wanted, text }: GuardRequest): void {
  if (typeof text !== 'string') throw new InputError('input_invalid', 'the text is no string');
  // A text of this many UTF-16 units has at least as many bytes.
  if (text.length > guardTextBytesMax) {
    throw new InputError('input_too_large', 'the text is longer than 4 MiB');
  }
  if (!text.isWellFormed()) {
    throw new InputError('input_lone_surrogate', 'the text holds half of a surrogate pair');
  }
  if (!Array.isArray(wanted) || wanted.length === 0 || new Set(wanted).size < wanted.length) {
    throw new InputError('input_invalid', 'name at least one scanner and none twice');
  }
  for (const name of wanted) {
    const scanner = scanners.find((entry) => entry.name === name);
    if (!scanner?.directions.includes(direction)) {
      const message = `there is no scanner ${JSON.stringify(name)} for ${JSON.stringify(direction)}`;
      throw new InputError('input_invalid', message, { data: { scanners } });
    }
  }
}

function parseResult(bytes: Uint8Array): GuardResult {
  try {
    return JSON.parse(decoder.decode(bytes)) as GuardResult;
  } catch (cause) {
    throw new ModuleError('module_output_invalid', 'guard wrote no JSON', { cause });
  }
}
