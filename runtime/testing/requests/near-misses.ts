// SPIFFE IDs that nearly are those of an agent, as somebody writes them who wants to be taken for it.
import fc from 'fast-check';
import { SAMPLE_TRUST_DOMAIN, sampleAgent } from '../sample-data.ts';
import { agentNumber } from './values.ts';

const ID_BYTES_MAX = 2048;
const TRUST_DOMAIN_BYTES_MAX = 255;

/** One change each that makes an ID another one, or none at all. */
const changes: readonly ((id: string) => string)[] = [
  ...['/', '//', '/.', '/..', '/*', 'x', ' ', '\t', '\u0000', '\u200d', '\u0430', '\ufeff'].map(
    (end) => (id: string) => id + end,
  ),
  ...['?', '?a=b', '#', '#a', '%', '%2f', '%00', ':443', '@', '\\', '%2e%2e'].map(
    (end) => (id: string) => id + end,
  ),
  (id) => id.toUpperCase(),
  (id) => id.replace('spiffe://', 'SPIFFE://'),
  (id) => id.replace('spiffe://', 'spiffe:/'),
  (id) => id.replace('spiffe://', 'spiffe:///'),
  (id) => id.replace('spiffe://', 'https://'),
  (id) => id.replace('spiffe://', 'spiffe://user@'),
  (id) => id.replace(SAMPLE_TRUST_DOMAIN, `${SAMPLE_TRUST_DOMAIN}:443`),
  (id) => id.replace(SAMPLE_TRUST_DOMAIN, `${SAMPLE_TRUST_DOMAIN}.`),
  (id) => id.replace(SAMPLE_TRUST_DOMAIN, 'Platform.local'),
  (id) => id.replace(SAMPLE_TRUST_DOMAIN, 'pl\u0430tform.local'),
  (id) => id.replace(SAMPLE_TRUST_DOMAIN, ''),
  (id) => id.replace(SAMPLE_TRUST_DOMAIN, 'a'.repeat(TRUST_DOMAIN_BYTES_MAX)),
  (id) => id.replace(SAMPLE_TRUST_DOMAIN, 'a'.repeat(TRUST_DOMAIN_BYTES_MAX + 1)),
  (id) => id.replace('/agent/', '/Agent/'),
  (id) => id.replace('/agent/', '/agent//'),
  (id) => id.replace('/agent/', '/./agent/'),
  (id) => id.replace('/agent/', '/x/../agent/'),
  (id) => id.replace('/agent/', '/agent\u2044'),
  (id) => id.replace('/main', ''),
  (id) => id.replace('/main', '/Main'),
  (id) => id.replace('/main', '/main/main'),
  (id) => id.replace('agent-', 'agent-0'),
  (id) => `${id}1`,
  (id) => ` ${id}`,
  (id) => `\ufeff${id}`,
  (id) => id.replace('main', 'ma\u0131n'),
  (id) => id.padEnd(ID_BYTES_MAX, 'a'),
  (id) => id.padEnd(ID_BYTES_MAX + 1, 'a'),
];

/** A look-alike of a SPIFFE ID that was given. */
export const nearly: fc.Arbitrary<(id: string) => string> = fc.constantFrom(...changes);

/** A SPIFFE ID of a sample agent or a look-alike. */
export const nearMissId: fc.Arbitrary<string> = fc
  .tuple(agentNumber, nearly)
  .map(([number, change]) => change(sampleAgent(number)));

/** Inputs of the module `scope`: scopes and IDs that nearly fit each other. */
export const nearMissScope = fc
  .record({
    number: agentNumber,
    scope: fc.oneof({ weight: 2, arbitrary: fc.constant((id: string) => id) }, nearly),
    id: fc.oneof({ weight: 2, arbitrary: fc.constant((id: string) => id) }, nearly),
    up: fc.nat(3),
  })
  .map(({ number, scope, id, up }) => {
    const parts = sampleAgent(number).split('/');
    const covering = up === 0 ? parts.join('/') : [...parts.slice(0, -up), '*'].join('/');
    return { scope: scope(covering), spiffe_id: id(sampleAgent(number)) };
  });
