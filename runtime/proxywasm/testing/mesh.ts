// What the tests of the filter share: a real pair of bundles, peers, and what Node decides for the same facts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { loadPair } from '../../bundle/load.ts';
import type { LoadedPair } from '../../bundle/pair.ts';
import { writeSamplePair } from '../../bundle/testing.ts';
import type { Decision } from '../../decide/decision.ts';
import { createLocalDecider } from '../../decide/local.ts';
import type { JsonObject } from '../../json.ts';
import { decideMesh } from '../../mesh/connect.ts';
import { SAMPLE_TRUST_DOMAIN, sampleData } from '../../testing/sample-data.ts';
import type { Filter, FilterProperties, FilterVerdict, HeaderPairs } from '../filter.ts';

/** The repository's policies with sample data and `more`, signed and loaded as a service does it. */
export async function samplePair(agents: number, more: JsonObject = {}): Promise<LoadedPair> {
  const folder = mkdtempSync(join(tmpdir(), 'filter-'));
  try {
    const { trusted } = await writeSamplePair(folder, {
      data: { ...sampleData(agents), ...more },
    });
    return await loadPair(folder, trusted);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a proxy says of a connection with mutual TLS. */
export function peerProperties(spiffeId: string): FilterProperties {
  return new Map<string, string | boolean>([
    ['connection.mtls', true],
    ['connection.uri_san_peer_certificate', spiffeId],
  ]);
}

/** Decides in Node what the filter decided, from nothing but the facts that an access log holds. */
export function meshDecider(
  pair: LoadedPair,
): (facts: (name: string) => string | undefined) => Decision {
  const decider = createLocalDecider({ current: () => pair });
  return (facts) => {
    const fact = (name: string): string => {
      const value = facts(name);
      if (value === undefined) throw new Error(`the filter set no ${name}`);
      return value;
    };
    return decideMesh(decider, {
      spiffeId: fact('spiffe_id'),
      trustDomain: SAMPLE_TRUST_DOMAIN,
      service: fact('service'),
      requestId: fact('request_id'),
      time: fact('time'),
    });
  };
}

export const requestHead: HeaderPairs = [
  [':method', 'GET'],
  [':path', '/'],
];

export interface Asked {
  verdict: FilterVerdict;
  facts: ReadonlyMap<string, string>;
}

/** One request of a peer, from its head to its end. */
export function askMesh(filter: Filter, peer: string, headers: HeaderPairs = requestHead): Asked {
  const stream = filter.stream(peerProperties(peer));
  const verdict = stream.requestHeaders(headers, true);
  stream.end();
  return { verdict, facts: stream.facts() };
}

/** The problem document of a denial; fails when it is none. */
export function problemOf(verdict: FilterVerdict): Record<string, unknown> {
  assert.is(verdict.kind, 'respond');
  if (verdict.kind !== 'respond') return {};
  assert.is(verdict.status, 403);
  const { length } = verdict.body;
  assert.ok(
    verdict.headers.some(([, value]) => value === 'application/problem+json') && length > 0,
  );
  return JSON.parse(Buffer.from(verdict.body).toString()) as Record<string, unknown>;
}

/** All values that a name has. */
export const valuesOf = (pairs: HeaderPairs, name: string) =>
  pairs.filter(([known]) => known === name).map(([, value]) => value);
