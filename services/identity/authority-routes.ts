// The operator's view of workload identity on the control socket: signing keys, entries, and rotation.
import { PlatformError } from '../../runtime/errors.ts';
import type { EntryClient } from '../../runtime/identity/entry-client.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { type Canonicalizer, readJsonObject } from '../common/http/json.ts';
import type { Route } from '../common/http/port.ts';
import type { OperatorGate } from '../common/operator.ts';
import type { Authority, KeyFacts } from './authority/port.ts';

export interface AuthorityRoutesConfig {
  authority: Pick<Authority, 'trustDomain' | 'state' | 'rotateNow'>;
  /** Whatever serves SPIRE's Entry API. */
  entries: Pick<EntryClient, 'list'>;
  gate: OperatorGate;
  record: Canonicalizer;
}

/** GET /api/v1/identity, GET /api/v1/identity/entries, POST /api/v1/identity/rotate. */
export function authorityRoutes(config: AuthorityRoutesConfig): Route[] {
  const { authority, entries, gate, record } = config;
  const view = { boundary: 'console', action: 'view' };
  return [
    {
      method: 'GET',
      path: '/api/v1/identity',
      boundary: view,
      handler: () => gate.view('identity', async () => authorityJson(authority)),
    },
    {
      method: 'GET',
      path: '/api/v1/identity/entries',
      boundary: view,
      handler: () =>
        gate.view('identity', async () => ({
          entries: (await entries.list()).map(({ id, spiffeId, selectors, dnsNames }) => ({
            ...{ id, spiffe_id: spiffeId, dns_names: dnsNames },
            selectors: selectors.map(({ type, value }) => `${type}:${value}`),
          })),
        })),
    },
    {
      method: 'POST',
      path: '/api/v1/identity/rotate',
      boundary: { boundary: 'console', action: 'operate' },
      handler: (request) => {
        const { keys } = readJsonObject(request, record);
        if (keys !== 'x509' && keys !== 'jwt') {
          throw new PlatformError('input_invalid', '`keys` is `x509` or `jwt`');
        }
        return gate.operate('identity', { rotate: keys }, async () => {
          await authority.rotateNow(keys);
          return { status: 200, body: authorityJson(authority) };
        });
      },
    },
  ];
}

/** Signing keys with their times, oldest first, and how many identities are refused. */
function authorityJson(authority: AuthorityRoutesConfig['authority']): JsonObject {
  const { trustDomain, keys, denied, isInTrouble, databaseSeenAt } = authority.state();
  const ofKind = (of: readonly KeyFacts[]) =>
    of.map(({ id, isActive, preparedAt, activatesAt, expiresAt }) => ({
      ...{ id, active: isActive, prepared_at: preparedAt.toISOString() },
      ...{ activates_at: activatesAt.toISOString(), expires_at: expiresAt.toISOString() },
    }));
  return {
    trust_domain: trustDomain,
    keys: Object.fromEntries(Object.entries(keys).map(([kind, of]) => [kind, ofKind(of)])),
    denied: { entries: denied.entries, sequence: denied.sequence, full: denied.isFull },
    database: { reachable: !isInTrouble, seen_at: databaseSeenAt.toISOString() },
  };
}
