// A layer of the conformance kit: inputs, and what is expected of each, computed by one function.
import type { JsonObject } from '../../../runtime/json.ts';
import type { KitContext } from './context.ts';

/** One line of a layer's file: its input, then what is expected. */
export type Vector = JsonObject;

export interface Layer {
  /** Names the file, `<name>.jsonl`. */
  name: string;
  /** The inputs of a new version; they may write further files into the kit's folder. */
  inputs(kit: KitContext): Iterable<Vector> | Promise<Iterable<Vector>>;
  /** What is expected of one input; given a whole line, it looks at its input only. */
  expect(kit: KitContext, vector: Vector): Vector | Promise<Vector>;
}

export const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** The bytes of a base64 member; none when it is absent. */
export function bytesOf(value: unknown): Buffer {
  return Buffer.from(typeof value === 'string' ? value : '', 'base64');
}

/** The bytes of a hexadecimal member. */
export function hexOf(value: unknown): Buffer {
  return Buffer.from(String(value), 'hex');
}
