// OPA's JSON syntax tree of Rego, as the policy compiler answers with it.
import type { JsonObject, JsonValue } from '../json.ts';

/** Where a node stands; row and column count from 1, `text` is its source. */
export interface AstLocation {
  file: string;
  row: number;
  col: number;
  text?: string;
}

/**
 * A value: `type` is null, boolean, number, string, var, ref, array, set, object, call,
 * templatestring, arraycomprehension, setcomprehension or objectcomprehension. The value of a ref, an
 * array, a set or a call is a list of terms, of an object a list of pairs, of a comprehension
 * `{term | key and value, body}`.
 */
export interface AstTerm {
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: its shape follows from `type`
  value: any;
  location?: AstLocation;
}

export interface AstWith {
  target: AstTerm;
  value: AstTerm;
  location?: AstLocation;
}

/** `some x`, `some x in xs`: `symbols` are variables, or one call of internal.member_2 or _3. */
export interface AstSomeDecl {
  symbols: AstTerm[];
  location?: AstLocation;
}

export interface AstEvery {
  key: AstTerm | null;
  value: AstTerm;
  domain: AstTerm;
  body: AstBody;
  location?: AstLocation;
}

/** One condition: `terms` is a list for a call (the operator first), else one term. */
export interface AstExpr {
  index: number;
  terms: AstTerm | AstTerm[] | AstSomeDecl | AstEvery;
  negated?: boolean;
  generated?: boolean;
  with?: AstWith[];
  location?: AstLocation;
}

/** All of its expressions must hold. */
export type AstBody = AstExpr[];

export interface AstHead {
  name?: string;
  ref: AstTerm[];
  args?: AstTerm[];
  /** The element of a set (`contains`). */
  key?: AstTerm;
  value?: AstTerm;
  assign?: boolean;
  location?: AstLocation;
}

export interface AstAnnotations {
  scope: string;
  title?: string;
  description?: string;
  custom?: JsonObject;
  schemas?: { path: AstTerm[]; schema?: AstTerm[]; definition?: JsonValue }[];
  entrypoint?: boolean;
  organizations?: string[];
  related_resources?: { ref: string; description?: string }[];
  authors?: { name: string; email?: string }[];
  location?: AstLocation;
}

export interface AstRule {
  head: AstHead;
  body: AstBody;
  default?: boolean;
  else?: AstRule;
  annotations?: AstAnnotations[];
  location?: AstLocation;
}

export interface AstImport {
  path: AstTerm;
  alias?: string;
  location?: AstLocation;
}

/** A comment's text follows its `#`. */
export interface AstComment {
  text: string;
  location: AstLocation;
}

/** One source file. */
export interface AstModule {
  package: { path: AstTerm[]; location?: AstLocation };
  imports?: AstImport[];
  rules?: AstRule[];
  annotations?: AstAnnotations[];
  comments?: AstComment[];
}

/** Turns the texts that OPA writes in base64 into strings, everywhere below `node`, in place. */
export function decodeTexts<T>(node: T): T {
  if (Array.isArray(node)) for (const member of node) decodeTexts(member);
  else if (typeof node === 'object' && node !== null) decodeMembers(node as Node);
  return node;
}

type Node = Record<string, unknown>;

/** Members whose value is the location itself, or the policy's own and no syntax tree. */
const opaque = new Set(['location', 'custom', 'definition']);

function decodeMembers(node: Node): void {
  const { location, Text, Location } = node;
  if (isLocation(location)) decodeLocation(location);
  for (const [name, member] of Object.entries(node)) if (!opaque.has(name)) decodeTexts(member);
  if (typeof Text !== 'string' || !isLocation(Location)) return;
  node.text = fromBase64(Text);
  node.location = decodeLocation(Location);
  delete node.Text;
  delete node.Location;
}

function isLocation(value: unknown): value is AstLocation {
  return typeof value === 'object' && value !== null && 'row' in value && 'col' in value;
}

function decodeLocation(location: AstLocation): AstLocation {
  if (location.text !== undefined) location.text = fromBase64(location.text);
  return location;
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}
