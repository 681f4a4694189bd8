// Agents whose names are each other's prefixes, and scopes that cover them or only look as if.
import fc from 'fast-check';
import { Scope } from '../../runtime/modules/scope.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';

const scope = Scope.create(moduleBytes('scope'));

/** Agents that share prefixes of every segment. */
export const agents: readonly string[] = [
  'spiffe://a.local/agent/acme/bot/main',
  'spiffe://a.local/agent/acme/bot/mai',
  'spiffe://a.local/agent/acme/botnet/main',
  'spiffe://a.local/agent/acme/bo/main',
  'spiffe://a.local/agent/acm/bot/main',
  'spiffe://a.local/agent/acme2/bot/main',
  'spiffe://a.localhost/agent/acme/bot/main',
  'spiffe://a/agent/acme/bot/main',
];

const cut = (id: string, segments: number) => id.split('/').slice(0, segments).join('/');

/** SPIFFE IDs, scopes, and texts that are neither, such as a person or an attacker might write. */
export const keys: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...agents),
    fc.constantFrom(2, 3, 4, 5, 6, 7),
    fc.constantFrom('/*', '/*', '/*', '/*', '', '*', '/', '/**', '/*/*', '/.', '/../*', '%2f*'),
  )
  .map(([id, segments, end]) => cut(id, segments) + end);

/** Whether the scope module finds that this text covers this agent. */
export function covers(key: string, spiffeId: string): boolean {
  return scope.decide(key, spiffeId).allow;
}

/** The parts of an agent's SPIFFE ID. */
export function partsOf(spiffeId: string) {
  const [, , trust_domain = '', , tenant = '', agent = '', role = ''] = spiffeId.split('/');
  return { spiffe_id: spiffeId, trust_domain, tenant, agent, role };
}
