// The same input written otherwise, and inputs with something in them that a careless reader lets pass.
import fc from 'fast-check';
import { oddPiece } from './pieces.ts';

const INPUT_BYTES_MAX = 1 << 20;
const KEY = '\uff5e';

/** How one value may be written; equal for every reader that reads by the standard. */
const spellings: readonly ((json: string) => string)[] = [
  (json) => JSON.stringify(JSON.parse(json), null, 1),
  (json) => `\t\r\n ${json} \n`,
  (json) =>
    json.replace(/[a-z](?=[^"]*":)/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  (json) => json.replaceAll('/', '\\/'),
  (json) => json.replace(/([:[,])(\d+)(?=[,}\]])/g, '$1$2.0'),
  (json) => json.replace(/([:[,])(\d+)(?=[,}\]])/g, '$1$2E+0'),
  (json) => json.replace(/([:[,])(\d+)(?=[,}\]])/g, '$1$2000e-3'),
  (json) => reversed(json),
  (json) =>
    json.replace(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
];

function reversed(json: string): string {
  return JSON.stringify(JSON.parse(json), (_key, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).reverse())
      : value,
  );
}

/** What damages a text, or hides something in it. */
const damages: readonly ((json: Buffer, at: number) => Uint8Array)[] = [
  (json) => Buffer.concat([Buffer.from('\ufeff'), json]),
  (json) => Buffer.from(json.toString(), 'utf16le'),
  (json, at) => json.subarray(0, at),
  (json, at) => Buffer.concat([json.subarray(0, at), json.subarray(at + 1)]),
  (json, at) => Buffer.concat([json.subarray(0, at), Buffer.from([0]), json.subarray(at)]),
  (json, at) => Buffer.concat([json.subarray(0, at), Buffer.from([0xc0, 0x80]), json.subarray(at)]),
  (json, at) =>
    Buffer.concat([json.subarray(0, at), Buffer.from([json[at]! ^ 1]), json.subarray(at + 1)]),
  (json) => Buffer.concat([json, json]),
  (json) => Buffer.concat([json, Buffer.from('\u0000')]),
  (json) => Buffer.concat([json.subarray(0, -1), Buffer.from(','), json.subarray(1)]),
];

/** The text with one more member: at its top, or in the first object below. */
function withMember(json: Buffer, piece: Uint8Array, isBelow: boolean): Uint8Array {
  const below = isBelow ? json.indexOf('{', 1) : -1;
  const at = Math.max(below, 0) + 1;
  const comma = json[at] === 0x7d ? '' : ',';
  const parts = [json.subarray(0, at), Buffer.from(`"${KEY}":`), piece, Buffer.from(comma)];
  return Buffer.concat([...parts, json.subarray(at)]);
}

/** The text with a member that makes it so many bytes long. */
function padded(json: Buffer, bytes: number): Uint8Array {
  const room = bytes - json.length - Buffer.byteLength(`"${KEY}":"",`);
  return withMember(json, Buffer.from(`"${'x'.repeat(Math.max(room, 0))}"`), false);
}

/** One of a thousand is as long as an input may be, or a little longer. */
const lengths = fc.constantFrom(-1, 0, 1, 4096).map((more) => INPUT_BYTES_MAX + more);

/** How an input's text is changed before it is sent; most are left as they are. */
export const disguise: fc.Arbitrary<(json: Uint8Array) => Uint8Array> = fc.oneof(
  { weight: 720, arbitrary: fc.constant((json: Uint8Array) => json) },
  {
    weight: 140,
    arbitrary: fc.constantFrom(...spellings).map(
      (spell) =>
        (json: Uint8Array): Uint8Array =>
          Buffer.from(spell(Buffer.from(json).toString())),
    ),
  },
  {
    weight: 105,
    arbitrary: fc.tuple(oddPiece, fc.boolean()).map(
      ([piece, isBelow]) =>
        (json: Uint8Array) =>
          withMember(Buffer.from(json), piece, isBelow),
    ),
  },
  {
    weight: 34,
    arbitrary: fc.tuple(fc.constantFrom(...damages), fc.nat()).map(
      ([damage, at]) =>
        (json: Uint8Array) =>
          damage(Buffer.from(json), at % json.length),
    ),
  },
  {
    weight: 1,
    arbitrary: lengths.map((bytes) => (json: Uint8Array) => padded(Buffer.from(json), bytes)),
  },
);
