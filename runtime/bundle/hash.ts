// SHA-256 of a bundle's file as OPA takes it for signatures (v1/bundle/hash.go).
import { createHash } from 'node:crypto';
import { BundleError } from '../errors.ts';

/** A number with the text it has in the file: OPA hashes that text, not the value. */
class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Node = null | boolean | string | NumberText | Node[] | { [key: string]: Node };

/** The files that OPA hashes by their value, so that white space and key order do not matter. */
export function isStructured(name: string): boolean {
  const base = name.slice(name.lastIndexOf('/') + 1);
  return base === 'data.json' || base === '.manifest';
}

/**
 * Hex SHA-256 of a file's bytes, or for a structured file of its value with sorted keys.
 * @throws BundleError `bundle_truncated` when a structured file is not JSON
 */
export function hashFile(name: string, content: Uint8Array): string {
  const hash = createHash('sha256');
  if (isStructured(name)) hash.update(encode(parse(name, content)));
  else hash.update(content);
  return hash.digest('hex');
}

function parse(name: string, content: Uint8Array): Node {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    return JSON.parse(text, (_key, value: Node, context?: { source?: string }) =>
      typeof value === 'number' ? new NumberText(context?.source ?? String(value)) : value,
    ) as Node;
  } catch (cause) {
    throw new BundleError('bundle_truncated', `${name} in the bundle is not whole JSON`, { cause });
  }
}

function encode(node: Node): string {
  if (node === null || typeof node === 'boolean') return String(node);
  if (typeof node === 'string') return encodeString(node);
  if (node instanceof NumberText) return node.text;
  if (Array.isArray(node)) return `[${node.map(encode).join(',')}]`;
  const members = Object.keys(node)
    .sort(compareBytes)
    .map((key) => `${encodeString(key)}:${encode(node[key]!)}`);
  return `{${members.join(',')}}`;
}

/** Go sorts strings by their UTF-8 bytes. */
function compareBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** Go's encoding/json without HTML escapes: like JSON.stringify, but the two line separators. */
function encodeString(text: string): string {
  return JSON.stringify(text.toWellFormed())
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}
