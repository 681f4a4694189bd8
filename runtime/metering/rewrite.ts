// Writes a function's body anew, with its steps charged and, where it may call itself, its stack.
import { Bytes } from '../plan/bytes.ts';
import { type Costs, OWED_MAX } from './costs.ts';
import { Emitter, NO_RESULT } from './emitter.ts';
import { Limit } from './exhausted.ts';
import { Op } from './instructions.ts';
import { refused, type Signature } from './parts.ts';
import type { Body, Change, Region } from './scan.ts';

const I32 = 0x7f;
/** A step for so many bytes of a bulk instruction, as a power of two. */
const BULK_SHIFT = 7;
/** What a frame has on the stack beside its locals, in words. */
const FRAME_WORDS = 16;

/** The indices of what metering adds to a module. */
export interface Added {
  steps: number;
  limit: number;
  depth: number;
  budget: number;
  pages: number;
}

/** The metered body, with its length before it, as the code section has it. */
export function rewriteBody(
  body: Body,
  number: number,
  signature: Signature,
  costs: Costs,
  added: Added,
): Uint8Array {
  const writer = new BodyWriter(body, number, signature, costs, added);
  return framed(writer.write());
}

/** A function's bytes with their length before them. */
export function framed(bytes: Uint8Array): Uint8Array {
  const whole = new Bytes();
  whole.unsigned(bytes.length);
  whole.append(bytes);
  return whole.view().slice();
}

class BodyWriter {
  readonly #out = new Emitter();
  readonly #body: Body;
  readonly #costs: Costs;
  readonly #added: Added;
  readonly #results: Uint8Array;
  readonly #isRecursive: boolean;
  readonly #entry: number;
  /** Locals: the steps that are owed, and a value in between. */
  readonly #owed: number;
  readonly #held: number;

  constructor(body: Body, number: number, signature: Signature, costs: Costs, added: Added) {
    this.#body = body;
    this.#costs = costs;
    this.#added = added;
    this.#results = signature.results;
    this.#isRecursive = costs.isRecursive(number);
    this.#entry = costs.atEntry(number);
    this.#owed = signature.params.length + body.locals;
    this.#held = this.#owed + 1;
  }

  write(): Uint8Array {
    const { bytes, code, repeats } = this.#body;
    const changes = this.#body.changes.filter(({ kind }) => kind !== 'return' || this.#isRecursive);
    if (repeats.length + changes.length + this.#entry === 0 && !this.#isRecursive) return bytes;
    this.#locals();
    this.#begin();
    let at = code;
    for (const place of [...repeats, ...changes].sort((a, b) => a.at - b.at)) {
      this.#out.append(bytes.subarray(at, place.at));
      at = place.at + place.length;
      if (place.kind === 'repeat') this.#repeat(place.region);
      else this.#change(place);
    }
    this.#out.append(bytes.subarray(at));
    if (this.#isRecursive) this.#leave();
    return this.#out.view();
  }

  #locals(): void {
    const { count, bytes } = this.#body.groups;
    this.#out.unsigned(count + 1);
    this.#out.append(bytes);
    this.#out.unsigned(2);
    this.#out.byte(I32);
  }

  /** Charges the entry, takes the frame's words of the stack, and opens the block that returns lead out of. */
  #begin(): void {
    const out = this.#out;
    const { depth, limit } = this.#added;
    if (this.#entry > 0) this.#charge(() => out.i32(this.#entry));
    if (!this.#isRecursive) return;
    out.op('getGlobal', depth).i32(this.#words()).op('sub').op('setGlobal', depth);
    out.op('getGlobal', depth).ifNegative();
    out.i32(Limit.Depth).op('setGlobal', limit).op('unreachable').op('end');
    if (this.#results.length > 1) throw refused('a recursive function has several results');
    out.byte(Op.Block);
    out.byte(this.#results[0] ?? NO_RESULT);
  }

  /** The body's own `end` closes the block; the frame's words are given back. */
  #leave(): void {
    const { depth } = this.#added;
    this.#out.op('getGlobal', depth).i32(this.#words()).op('add').op('setGlobal', depth).op('end');
  }

  #words(): number {
    return FRAME_WORDS + this.#held + 1;
  }

  /** Notes what a loop's next round costs, and pays once it is more than may be owed. */
  #repeat(region: Region): void {
    const out = this.#out;
    const owed = this.#owed;
    out.op('getLocal', owed).i32(this.#costs.of(region)).op('add').op('teeLocal', owed);
    out.i32(OWED_MAX).op('greaterSigned').op('if').byte(NO_RESULT);
    this.#charge(() => out.op('getLocal', owed));
    out.i32(0).op('setLocal', owed);
    out.op('end');
  }

  #change({ kind, index }: Change): void {
    const out = this.#out;
    const held = this.#held;
    if (kind === 'return') out.op('branch', index);
    else if (kind === 'bulk') {
      out.op('setLocal', held);
      this.#charge(() => out.op('getLocal', held).i32(BULK_SHIFT).op('shiftRight'));
      out.op('getLocal', held);
    } else this.#grow(index);
  }

  /** Takes so many steps from the counter, and ends when there are none left. */
  #charge(cost: () => void): void {
    const out = this.#out;
    const { steps } = this.#added;
    out.op('getGlobal', steps);
    cost();
    out.op('sub').op('setGlobal', steps);
    out.op('getGlobal', steps).ifNegative().op('unreachable').op('end');
  }

  /** Grows a memory no further than the limit, and notes whether it was refused. */
  #grow(memory: number): void {
    const out = this.#out;
    const held = this.#held;
    const { pages, limit } = this.#added;
    out.op('teeLocal', held).op('getGlobal', pages).op('greaterUnsigned');
    out.op('getLocal', held).op('memorySize', memory).op('add');
    out.op('getGlobal', pages).op('greaterUnsigned').op('or');
    out.byte(Op.If);
    out.byte(I32);
    out.i32(-1).op('else').op('getLocal', held).op('memoryGrow', memory).op('end');
    out.op('teeLocal', held).i32(-1).op('equal').op('setGlobal', limit).op('getLocal', held);
  }
}
