// The host of the guard module: scans prompts, tool arguments and responses for what must not pass.

import { InputError, ModuleError } from '../errors.ts';
import { inputError } from './error-numbers.ts';
import { ModuleInstance } from './instantiate.ts';

export type GuardDirection = 'input' | 'output';
export type ScannerName =
  | 'InvisibleText'
  | 'PII'
  | 'PromptInjection'
  | 'Relevance'
  | 'Secrets'
  | 'TokenLimit'
  | 'TopicBoundary'
  | 'Toxicity';

/** How a text is judged, whichever text it is. `input` goes to a model or a tool, `output` came from one. */
export interface GuardOptions {
  direction: GuardDirection;
  /** At least one, none twice, each serving the direction. */
  scanners: readonly ScannerName[];
  /** What the response answers, at most 4 MiB of UTF-8: for `Relevance`. */
  prompt?: string;
  /** Where the text comes from, by default the user; text of the others is judged more strictly. */
  source?: 'user' | 'tool' | 'document';
  /** From which score of 1000 on a scanner reports, 1 to 1000, where it is not its default. */
  thresholds?: Readonly<Partial<Record<ScannerName, number>>>;
  /** Words planted in a prompt that no response may carry, at most 64. */
  canaries?: readonly string[];
  /** At most 64 of each: for `TopicBoundary`. */
  topics?: { allowed?: readonly string[]; forbidden?: readonly string[] };
  /** For `TokenLimit`, with `observed.tokens`. */
  tokens_max?: number;
  /** What was measured outside the module and is judged with the text; recorded as input, so that replay is exact. */
  observed?: {
    tokens?: { count: number; encoding: string };
    /** What another model says, in thousandths. */
    injection?: { model: string; score: number };
  };
}

/** What is scanned, and how. */
export interface GuardRequest extends GuardOptions {
  text: string;
}

/** One place that a scanner flagged; it never holds the value found there. */
export interface GuardFinding {
  scanner: ScannerName;
  /** Such as `email`, `github_token`, `tag_characters`; docs/guard.md lists them all. */
  kind: string;
  /** In thousandths. */
  score: number;
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
  /** The highest score of each scanner that was asked for, in thousandths, also below its threshold. */
  scores: Partial<Record<ScannerName, number>>;
  /** True when there were more findings than listed. */
  truncated: boolean;
}

/** What is certain of a stream so far; `findings` are those that were not answered before. */
export interface GuardStreamResult extends GuardResult {
  /** How many bytes of the text's UTF-8 may be shown: nothing that is found later begins before. */
  released: number;
}

/** The scanners that are built, the directions that each serves, and its threshold in thousandths. */
export const scanners: readonly {
  name: ScannerName;
  directions: readonly GuardDirection[];
  threshold: number;
}[] = [
  { name: 'InvisibleText', directions: ['input', 'output'], threshold: 1 },
  { name: 'PII', directions: ['input', 'output'], threshold: 850 },
  { name: 'PromptInjection', directions: ['input', 'output'], threshold: 500 },
  { name: 'Relevance', directions: ['output'], threshold: 500 },
  { name: 'Secrets', directions: ['input', 'output'], threshold: 1 },
  { name: 'TokenLimit', directions: ['input', 'output'], threshold: 1 },
  { name: 'TopicBoundary', directions: ['input', 'output'], threshold: 500 },
  { name: 'Toxicity', directions: ['input', 'output'], threshold: 700 },
];

/** The longest text that is scanned, in bytes of UTF-8. */
export const guardTextBytesMax = 4 * 1024 * 1024;

type GuardOperation = 'scan' | 'streamReserve' | 'streamOpen' | 'streamPush';
type GuardModule = ModuleInstance<GuardOperation>;

const operations: readonly GuardOperation[] = ['scan', 'streamReserve', 'streamOpen', 'streamPush'];
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The scanners of wasm/guard; the answer depends on the request alone. */
export class Guard {
  readonly #module: GuardModule;

  private constructor(module: GuardModule) {
    this.#module = module;
  }

  /** Compiles the module's bytes; throws a ModuleError when they are not the guard module. */
  static create(bytes: Uint8Array): Guard {
    return new Guard(new ModuleInstance('guard', bytes, operations));
  }

  /**
   * Scans a text. Throws an InputError: `input_too_large` (over 4 MiB of UTF-8), `input_lone_surrogate`,
   * `input_invalid` for an unknown scanner or one that does not serve the direction.
   */
  scan(request: GuardRequest): GuardResult {
    checkText(request.text);
    const { pointer, length } = this.#module.writeText(requestJson(request));
    return parseResult(this.#module.call('scan', pointer, length));
  }

  /** As `scan`, from the JSON bytes of a request to the canonical JSON of the result. */
  scanBytes(request: Uint8Array): Uint8Array {
    return this.#module.run('scan', request);
  }

  /** Begins to scan a text that comes in pieces; throws as `scan` does. The stream has memory of its own. */
  stream(options: GuardOptions): GuardStream {
    const json = encoder.encode(requestJson(options));
    return new GuardStream(this.#module.another(), json);
  }
}

/** One text that comes in pieces: whatever the pieces, the findings are those of the whole text. */
export class GuardStream {
  readonly #module: GuardModule;
  readonly #generation: number;
  /** The first half of a surrogate pair whose second half is to come. */
  #half = '';
  #isOpen = true;

  /** Use `Guard.stream`. */
  constructor(module: GuardModule, request: Uint8Array) {
    this.#module = module;
    const pointer = module.invoke((exports) => exports.streamReserve(request.length)) >>> 0;
    module.view.set(request, pointer);
    const number = module.invoke((exports) => exports.streamOpen(pointer, request.length));
    if (number !== 0) throw inputError(number);
    this.#generation = module.generation;
  }

  /**
   * Takes the next piece; `isLast` says that the text is complete. Throws an InputError for a text over 4 MiB
   * (`input_too_large`) or with half of a surrogate pair, and a ModuleError when the module fails or the stream
   * has ended; nothing that was not released by then may be shown.
   */
  push(piece: string, isLast = false): GuardStreamResult {
    let text = this.#half + piece;
    this.#half = '';
    const last = text.charCodeAt(text.length - 1);
    if (!isLast && last >= 0xd800 && last <= 0xdbff) {
      this.#half = text.slice(-1);
      text = text.slice(0, -1);
    }
    if (!this.#isOpen) throw new ModuleError('module_trapped', 'the stream has ended');
    this.#isOpen = false;
    checkText(text);
    const { pointer, length } = this.#module.writeText(text);
    // A fresh instance knows nothing of what came before.
    if (this.#module.generation !== this.#generation) {
      throw new ModuleError('module_trapped', 'the guard trapped within a stream');
    }
    const number = this.#module.invoke((exports) =>
      exports.streamPush(pointer, length, isLast ? 1 : 0),
    );
    if (number !== 0) throw inputError(number);
    this.#isOpen = !isLast;
    return parseResult(this.#module.output()) as GuardStreamResult;
  }
}

/** The request as JSON; refuses what the module would refuse of its names, with a message that says what is wrong. */
function requestJson(request: GuardOptions): string {
  const { direction, scanners: wanted } = request;
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
  if (request.prompt !== undefined) checkText(request.prompt);
  return JSON.stringify(request);
}

function checkText(text: unknown): void {
  if (typeof text !== 'string') throw new InputError('input_invalid', 'the text is no string');
  // A text of this many UTF-16 units has at least as many bytes.
  if (text.length > guardTextBytesMax) {
    throw new InputError('input_too_large', 'the text is longer than 4 MiB');
  }
  if (!text.isWellFormed()) {
    throw new InputError('input_lone_surrogate', 'the text holds half of a surrogate pair');
  }
}

function parseResult(bytes: Uint8Array): GuardResult {
  try {
    return JSON.parse(decoder.decode(bytes)) as GuardResult;
  } catch (cause) {
    throw new ModuleError('module_output_invalid', 'guard wrote no JSON', { cause });
  }
}
