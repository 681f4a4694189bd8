// Entries that judge a server of the Entry API: good ones, wrong ones, and those on which ours and SPIRE differ.
import { codeOf } from '../../../runtime/errors.ts';
import type { WorkloadEntry, WorkloadEntryDraft } from '../../../runtime/identity/entry-client.ts';

export const trustDomain = 'example.org';
export const idOf = (path: string) => `spiffe://${trustDomain}${path}`;
export const parentId = idOf('/node/local');
export const selectors = (...values: string[]) =>
  values.map((value) => ({ type: 'platform', value }));

export const draft = (change: Partial<WorkloadEntry> = {}): WorkloadEntryDraft => ({
  ...{ spiffeId: idOf('/agent/acme/bot/main'), parentId },
  selectors: selectors('tenant:acme', 'agent:bot'),
  ...change,
});

/** An entry with its sets in one order: SPIRE gives selectors and DNS names back in any. */
export function inOrder(entry: WorkloadEntry | undefined) {
  if (entry === undefined) return undefined;
  const order = (a: string, b: string) => (a < b ? -1 : 1);
  return {
    ...entry,
    selectors: entry.selectors.map(({ type, value }) => `${type}:${value}`).sort(order),
    dnsNames: [...entry.dnsNames].sort(order),
  };
}

/** The facts of an entry that the server does not choose. */
export function factsOf(entry: WorkloadEntry | undefined) {
  const { id: _, revision: __, ...facts } = inOrder(entry) ?? {};
  return facts;
}

/** The code of what the work throws, or `done`. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    return codeOf(error);
  }
}

/** Drafts that no server may take, with a word on each. */
export const invalid: Record<string, Partial<WorkloadEntry>> = {
  'empty segment': { spiffeId: idOf('/a//b') },
  'slash at the end': { spiffeId: idOf('/a/') },
  'dot segment': { spiffeId: idOf('/a/../b') },
  'no path': { spiffeId: idOf('') },
  'character of no path': { spiffeId: idOf('/a b') },
  'escaped path': { spiffeId: idOf('/a%2fb') },
  'letters beyond ASCII': { spiffeId: idOf('/ä') },
  'reserved path': { spiffeId: idOf('/spire/agent/x') },
  'foreign identity': { spiffeId: 'spiffe://other.org/a' },
  'trust domain in capitals': { spiffeId: 'spiffe://EXAMPLE.org/a' },
  'foreign parent': { parentId: 'spiffe://other.org/node' },
  'parent without a path': { parentId: idOf('') },
  'no selectors': { selectors: [] },
  'selector without a type': { selectors: [{ type: '', value: 'x' }] },
  'selector type with a colon': { selectors: [{ type: 'a:b', value: 'x' }] },
  'selector without a value': { selectors: [{ type: 'a', value: '' }] },
  'empty DNS name': { dnsNames: [''] },
  'DNS name with a dot at its end': { dnsNames: ['a.b.'] },
  'DNS name with an empty label': { dnsNames: ['a..svc'] },
  'DNS name with a hyphen at the end of a label': { dnsNames: ['a-.svc'] },
  'reserved DNS label': { dnsNames: ['ab--cd.svc'] },
  'DNS label that is no Punycode': { dnsNames: ['xn--a.svc'] },
  'DNS name beyond ASCII': { dnsNames: ['bücher.svc'] },
  'long DNS label': { dnsNames: [`${'a'.repeat(64)}.svc`] },
  'long DNS name': { dnsNames: [`${'a.'.repeat(127)}a`] },
  'wildcard inside': { dnsNames: ['a.*.svc'] },
  'wildcard alone': { dnsNames: ['*'] },
  'wildcard in a label': { dnsNames: ['a*.svc'] },
  'lifetime below zero': { x509TtlSeconds: -1 },
  'token lifetime below zero': { jwtTtlSeconds: -1 },
  'long hint': { hint: 'h'.repeat(1025) },
  'hint of many bytes': { hint: 'é'.repeat(513) },
};

/** Where the two differ: what is said of each entry by ours and by SPIRE, and why. */
export const differences: [Partial<WorkloadEntry>, { ours?: string; spire?: string }][] = [
  // An SVID of ours answers to host names only (RFC 1123), and to no name that it does not spell out.
  [{ dnsNames: ['a_b.svc'] }, { ours: 'entry_invalid' }],
  [{ dnsNames: ['a b.svc'] }, { ours: 'entry_invalid' }],
  [{ dnsNames: ['*.bot.svc'] }, { ours: 'entry_invalid' }],
  // Ours issues nothing that lives shorter or longer than it is ready to renew and to deny.
  [{ x509TtlSeconds: 299 }, { ours: 'entry_invalid' }],
  [{ x509TtlSeconds: 86_401 }, { ours: 'entry_invalid' }],
  [{ jwtTtlSeconds: 86_401 }, { ours: 'entry_invalid' }],
  // A SPIFFE ID has 2048 bytes at most (SPIFFE-ID, section 2.3), and a selector of ours too.
  [{ spiffeId: idOf(`/${'a'.repeat(2048)}`) }, { ours: 'entry_invalid' }],
  [{ selectors: selectors('a'.repeat(2048)) }, { ours: 'entry_invalid' }],
  // PostgreSQL stores no NUL; SPIRE's SQLite does.
  [{ selectors: selectors('\0') }, { ours: 'entry_invalid' }],
  [{ hint: '\0' }, { ours: 'entry_invalid' }],
  // SPIRE's table refuses what is said twice, as if another entry said it; ours takes it as one.
  [{ selectors: selectors('twice', 'twice') }, { spire: 'entry_exists' }],
  [{ dnsNames: ['twice.svc', 'twice.svc'] }, { spire: 'entry_exists' }],
];
