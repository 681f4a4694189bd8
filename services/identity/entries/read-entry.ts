// Reads the entries, filters and masks of SPIRE's Entry API, with SPIRE's words for what is wrong.
import { domainToUnicode } from 'node:url';
import { create } from '@bufbuild/protobuf';
import { PlatformError } from '../../../runtime/errors.ts';
import {
  type EntryMask,
  EntrySchema,
  type Entry as WireEntry,
} from '../../../runtime/identity/proto/spire/api/types/entry_pb.js';
import type { Selector as WireSelector } from '../../../runtime/identity/proto/spire/api/types/selector_pb.js';
import type { SPIFFEID } from '../../../runtime/identity/proto/spire/api/types/spiffeid_pb.js';
import type { Scope } from '../../../runtime/modules/scope.ts';
import type { Entry, EntryDraft, Selector } from './entry.ts';

/** Which fields of an entry are meant; a missing mask means all. */
export type FieldMask = Partial<Record<keyof EntryMask, unknown>>;

const idBytesMax = 255;
const hintBytesMax = 1024;
const selectorsMax = 64;
const dnsNamesMax = 32;
const textBytesMax = 2048;

/** SVIDs live between these, in seconds; 0 leaves it to the server. */
const x509TtlMax = 86_400;
const x509TtlMin = 300;

/** Reads wire entries for one trust domain. */
export class EntryReader {
  readonly #scope: Scope;
  readonly #trustDomain: string;

  constructor(scope: Scope, trustDomain: string) {
    this.#scope = scope;
    this.#trustDomain = trustDomain;
  }

  /**
   * The entry that a wire message means. Under a mask, fields that it leaves out are empty, whatever
   * the message says of them. Throws `entry_invalid`.
   */
  entry(message: WireEntry, mask?: FieldMask): EntryDraft {
    const isWanted = (field: keyof FieldMask) => mask === undefined || mask[field] === true;
    const wire = mask === undefined ? message : onlyMasked(message, mask);
    checkId(wire.id);
    const draft: EntryDraft = {
      id: wire.id,
      parentId: isWanted('parentId')
        ? this.#prefixed('invalid parent ID', wire.parentId, this.parentId)
        : '',
      spiffeId: isWanted('spiffeId')
        ? this.#prefixed('invalid spiffe ID', wire.spiffeId, this.workloadId)
        : '',
      selectors: isWanted('selectors') ? readSelectors(wire.selectors) : [],
      x509SvidTtl: ttl('X509SvidTtl', wire.x509SvidTtl),
      jwtSvidTtl: ttl('JwtSvidTtl', wire.jwtSvidTtl),
      federatesWith: wire.federatesWith.map((each) => this.trustDomain(each)),
      ...{ admin: wire.admin, downstream: wire.downstream, storeSvid: wire.storeSvid },
      expiresAt: seconds(wire.expiresAt),
      dnsNames: readDnsNames(wire.dnsNames),
      hint: wire.hint,
    };
    if (draft.x509SvidTtl !== 0 && draft.x509SvidTtl < x509TtlMin) {
      throw invalid(`invalid X509-SVID TTL: less than ${x509TtlMin} seconds`);
    }
    if (draft.x509SvidTtl > x509TtlMax || draft.jwtSvidTtl > x509TtlMax) {
      throw invalid(`invalid TTL: more than ${x509TtlMax} seconds`);
    }
    if (Buffer.byteLength(wire.hint) > hintBytesMax) {
      throw invalid(`hint is too long, max length is ${hintBytesMax} characters`);
    }
    // PostgreSQL has no place for it, in text or in JSON.
    if (wire.hint.includes('\0')) throw invalid('hint holds a NUL');
    const types = new Set(draft.selectors.map(({ type }) => type));
    if (wire.storeSvid && types.size > 1) {
      throw invalid('selector types must be the same when store SVID is enabled');
    }
    return draft;
  }

  /** The SPIFFE ID of a workload of this trust domain. Throws `entry_invalid`. */
  workloadId = (wire: SPIFFEID | undefined): string => {
    const { text, path } = this.#read(wire);
    if (path.length === 0) {
      throw invalid(
        `"${text}" is not a workload in trust domain "${this.#trustDomain}"; path is empty`,
      );
    }
    if (path[0] === 'spire') {
      throw invalid(
        `"${text}" is not a workload in trust domain "${this.#trustDomain}"; path is in the reserved namespace`,
      );
    }
    return text;
  };

  /** The SPIFFE ID of any member of this trust domain. Throws `entry_invalid`. */
  parentId = (wire: SPIFFEID | undefined): string => {
    const { text, path } = this.#read(wire);
    if (path.length > 0) return text;
    throw invalid(
      `"${text}" is not a member of trust domain "${this.#trustDomain}"; path is empty`,
    );
  };

  /** `spiffe://<name>` of a trust domain, given with or without its scheme. */
  trustDomain(text: string): string {
    const id = text.startsWith('spiffe://') ? text : `spiffe://${text}`;
    try {
      return `spiffe://${this.#scope.parse(id).trustDomain}`;
    } catch (error) {
      throw invalid(`invalid federated trust domain: ${wordsOf(error)}`);
    }
  }

  #prefixed(
    what: string,
    wire: SPIFFEID | undefined,
    read: (wire: SPIFFEID | undefined) => string,
  ): string {
    try {
      return read(wire);
    } catch (error) {
      throw invalid(`${what}: ${wordsOf(error)}`);
    }
  }

  #read(wire: SPIFFEID | undefined): { text: string; path: string[] } {
    if (wire === undefined) throw invalid('request must specify SPIFFE ID');
    // The path carries its slash; without it the trust domain would run on into the path.
    if (wire.path !== '' && !wire.path.startsWith('/')) {
      throw invalid('path must have a leading slash');
    }
    const text = `spiffe://${wire.trustDomain}${wire.path}`;
    let parsed: ReturnType<Scope['parse']>;
    try {
      parsed = this.#scope.parse(text);
    } catch (error) {
      throw invalid(wordsOf(error));
    }
    if (parsed.trustDomain !== this.#trustDomain || wire.trustDomain !== this.#trustDomain) {
      throw invalid(`"${text}" is not a member of trust domain "${this.#trustDomain}"`);
    }
    return { text, path: parsed.path };
  }
}

function onlyMasked(wire: WireEntry, mask: FieldMask): WireEntry {
  const kept = Object.entries(wire).filter(
    ([field]) => field === 'id' || mask[field as keyof FieldMask] === true,
  );
  return create(EntrySchema, Object.fromEntries(kept));
}

/** Selectors as SPIRE takes them: a type without a colon, a type and a value at least. */
export function readSelectors(wire: readonly WireSelector[]): Selector[] {
  if (wire.length === 0) throw invalid('selector list is empty');
  if (wire.length > selectorsMax) throw invalid(`more than ${selectorsMax} selectors`);
  return wire.map(({ type, value }) => {
    if (type === '') throw invalid('missing selector type');
    if (type.includes(':')) throw invalid("selector type contains ':'");
    if (value === '') throw invalid('missing selector value');
    if (Buffer.byteLength(type) + Buffer.byteLength(value) > textBytesMax) {
      throw invalid('selector is too long');
    }
    if (type.includes('\0') || value.includes('\0')) throw invalid('selector holds a NUL');
    return { type, value };
  });
}

/** An entry on the wire. */
export function wireEntry(entry: Entry): Omit<WireEntry, '$typeName' | '$unknown'> {
  return {
    id: entry.id,
    spiffeId: wireId(entry.spiffeId),
    parentId: wireId(entry.parentId),
    selectors: entry.selectors.map(({ type, value }) => ({
      $typeName: 'spire.api.types.Selector' as const,
      type,
      value,
    })),
    x509SvidTtl: entry.x509SvidTtl,
    jwtSvidTtl: entry.jwtSvidTtl,
    federatesWith: entry.federatesWith.map((each) => each.slice('spiffe://'.length)),
    ...{ admin: entry.admin, downstream: entry.downstream, storeSvid: entry.storeSvid },
    expiresAt: BigInt(entry.expiresAt),
    dnsNames: [...entry.dnsNames],
    revisionNumber: BigInt(entry.revisionNumber),
    hint: entry.hint,
    createdAt: BigInt(entry.createdAt),
  };
}

function wireId(text: string): SPIFFEID {
  const rest = text.slice('spiffe://'.length);
  const slash = rest.indexOf('/');
  const end = slash < 0 ? rest.length : slash;
  return {
    $typeName: 'spire.api.types.SPIFFEID',
    trustDomain: rest.slice(0, end),
    path: rest.slice(end),
  };
}

function checkId(id: string): void {
  if (id.length > idBytesMax) throw invalid('entry ID too long');
  for (const character of id) {
    const isLetter = /^[A-Za-z0-9]$/.test(character);
    if (!isLetter && !'-._'.includes(character)) {
      throw invalid('entry ID contains invalid characters');
    }
  }
}

function ttl(name: string, value: number): number {
  if (value < 0) throw invalid(`invalid registration entry: ${name} is not set`);
  return value;
}

function seconds(value: bigint): number {
  if (value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
  throw invalid('expiry is not a time');
}

/** Host names as RFC 1123, section 2.1 has them. No wildcard: an identity answers to its own names. */
function readDnsNames(names: readonly string[]): string[] {
  if (names.length > dnsNamesMax) throw invalid(`more than ${dnsNamesMax} DNS names`);
  for (const name of names) {
    if (name.length === 0 || name.length > 253) throw invalidDns(name, 'it is empty or too long');
    if (!name.split('.').every(isLabel)) throw invalidDns(name, 'a label is not valid');
  }
  return [...new Set(names)];
}

function isLabel(label: string): boolean {
  if (label.length === 0 || label.length > 63) return false;
  if (label.startsWith('-') || label.endsWith('-')) return false;
  // Labels with hyphens there are reserved (RFC 5890, section 2.3.1), but for Punycode.
  if (label.startsWith('--', 2) && !isPunycode(label)) return false;
  for (const character of label) {
    if (!/^[A-Za-z0-9-]$/.test(character)) return false;
  }
  return true;
}

function isPunycode(label: string): boolean {
  const text = domainToUnicode(label);
  return text !== '' && text !== label.toLowerCase();
}

function invalidDns(name: string, why: string): PlatformError {
  return invalid(`invalid DNS name: ${JSON.stringify(name.slice(0, 64))}: ${why}`);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function invalid(message: string): PlatformError {
  return new PlatformError('entry_invalid', message);
}
