// The host of the record module: canonical JSON, hashes, decision ids.

import { hash } from 'node:crypto';
import { InputError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import { canonicalValue } from './canonical-value.ts';
import { Frames } from './frames.ts';
import { ModuleInstance } from './instantiate.ts';

const OPERATIONS = ['canonicalize'] as const;
const INPUT_BYTES_MAX = 1024 * 1024;
const DEPTH_MAX = 64;
const HASH_BYTES = 32;
const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);
const DECISION_TAG = 'platform/decision/v1';
const DECISION_FIELDS = 7;

/** Canonical JSON (RFC 8785), SHA-256, Merkle hashes (RFC 6962) and decision ids. */
export class Record {
  readonly #module: ModuleInstance<(typeof OPERATIONS)[number]>;
  readonly #frames = new Frames();

  private constructor(module: ModuleInstance<(typeof OPERATIONS)[number]>) {
    this.#module = module;
  }

  /** Compiles the module's bytes; throws a ModuleError when they are not the record module. */
  static create(bytes: Uint8Array): Record {
    return new Record(new ModuleInstance('record', bytes, OPERATIONS));
  }

  /**
   * The canonical form of UTF-8 JSON. Throws an InputError: `input_too_large` (over 1 MiB),
   * `input_not_utf8`, `input_lone_surrogate`, `input_not_json`, `input_duplicate_key`,
   * `input_number_not_portable`, `input_too_deep` (over 64), `input_key_too_long` (over 256 bytes).
   */
  canonicalize(json: Uint8Array): Uint8Array {
    return this.#module.run('canonicalize', json);
  }

  /** Whether UTF-8 JSON is its own canonical form; throws as `canonicalize` does. */
  isCanonical(json: Uint8Array): boolean {
    return this.#module.keeps('canonicalize', json);
  }

  /**
   * The canonical form of a JSON value. Throws as `canonicalize` does, and `input_invalid` for what is
   * no JSON value (undefined, functions, objects with `toJSON`), which is never dropped silently.
   */
  canonicalizeValue(value: JsonValue): Uint8Array {
    const ordered = canonicalValue(value);
    if (ordered === undefined) assertJson(value, 0);
    const text = JSON.stringify(ordered ?? value);
    if (ordered !== undefined && text.length * 3 <= INPUT_BYTES_MAX) return Buffer.from(text);
    if (text.length > INPUT_BYTES_MAX) {
      throw new InputError('input_too_large', 'the input is too large');
    }
    const { pointer, length } = this.#module.writeText(text);
    return this.#module.call('canonicalize', pointer, length);
  }

  /** SHA-256 of the bytes: 32 bytes. */
  sha256(bytes: Uint8Array): Uint8Array {
    return bytesOf(hash('sha256', bytes, 'hex'));
  }

  /** Merkle leaf hash, SHA-256 of 0x00 and the data (RFC 6962 section 2.1): 32 bytes. */
  leafHash(data: Uint8Array): Uint8Array {
    return bytesOf(this.#frames.begin(LEAF).append(data).hex());
  }

  /** Merkle node hash, SHA-256 of 0x01 and both 32-byte hashes (RFC 6962 section 2.1): 32 bytes. */
  nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
    if (left.length !== HASH_BYTES || right.length !== HASH_BYTES) {
      throw new InputError('input_invalid', 'a Merkle node has two hashes of 32 bytes');
    }
    return bytesOf(this.#frames.begin(NODE).append(left).append(right).hex());
  }

  /**
   * SHA-256 over the seven fields of a decision, each as a 32-bit big-endian length and its bytes:
   * `platform/decision/v1`, boundary, module, policy revision, data revision, committed input, output.
   * Throws `input_invalid` when there are more or fewer, or when the first is another tag.
   */
  decisionId(fields: readonly (string | Uint8Array)[]): Uint8Array {
    if (fields.length !== DECISION_FIELDS || fields[0] !== DECISION_TAG) {
      throw new InputError('input_invalid', 'a decision has seven fields, the tag first');
    }
    return bytesOf(this.framedHex(fields));
  }

  /**
   * SHA-256 over fields, each as a 32-bit big-endian length and its bytes, so that no two different
   * lists hash alike; text is UTF-8. `prefix` is what `frames` gave for the first ones. 64 hex digits.
   */
  framedHex(fields: readonly (string | Uint8Array)[], prefix?: Uint8Array): string {
    this.#frames.begin(prefix);
    for (const field of fields) this.#frames.add(field);
    return this.#frames.hex();
  }

  /** The bytes that `framedHex` hashes for these fields. */
  frames(fields: readonly (string | Uint8Array)[]): Uint8Array {
    this.#frames.begin();
    for (const field of fields) this.#frames.add(field);
    return this.#frames.framed();
  }
}

/** 32 bytes of their 64 hex digits: the fastest way that Node has to a short digest. */
function bytesOf(digits: string): Uint8Array {
  return new Uint8Array(Buffer.from(digits, 'hex'));
}

/** Throws for everything that JSON.stringify would drop, change or call. */
function assertJson(value: unknown, depth: number): void {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return;
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return;
    throw new InputError('input_number_not_portable', 'JSON has no infinite number and no NaN');
  }
  if (typeof value !== 'object') {
    throw new InputError('input_invalid', `JSON has no ${typeof value}`);
  }
  if (depth === DEPTH_MAX) throw new InputError('input_too_deep', 'the input is nested too deep');
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') {
    throw new InputError('input_invalid', 'JSON values have no toJSON method');
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) assertJson(value[i], depth + 1);
    return;
  }
  for (const key in value) {
    assertJson((value as { [key: string]: unknown })[key], depth + 1);
  }
}
