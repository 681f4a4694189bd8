// Generated inputs of the browse boundary.
import fc from 'fast-check';
import type { JsonValue } from '../../json.ts';
import { sampleAgent, sampleService } from '../sample-data.ts';
import { agentNumber, identity, moment, mostly, nearMiss } from './values.ts';

const hosts = fc.constantFrom(
  ...Array<string>(20).fill(''),
  'a.example.org',
  'x.y.example.org',
  'admin.example.org',
  'example.org',
  'evilexample.org',
  'example.org.evil.net',
  'A.example.org',
  'a.example.org.',
  'localhost',
  '169.254.169.254',
  '[::1]',
  'vault.platform-system.svc',
  'xn--e1afmkfd.example.org',
  '\u0430.example.org',
);
const paths = fc.constantFrom(
  '/docs',
  '/docs/a/b',
  '/docs/',
  '/',
  '/docs%20x',
  '/docs/../admin',
  '/docs/..%2fadmin',
  '/docsx',
  '//docs',
  '/%64ocs',
  '',
);

/** Inputs of the browse boundary. */
export const browseInput: fc.Arbitrary<JsonValue> = fc
  .record({
    number: agentNumber,
    nearMiss,
    host: hosts,
    path: fc.oneof(
      { weight: 4, arbitrary: fc.constant('/docs/start') },
      { weight: 1, arbitrary: paths },
    ),
    scheme: mostly('https', ['http', 'HTTPS', 'file', 'javascript']),
    port: mostly<JsonValue>(443, [80, 8443, '443', null]),
    userinfo: mostly<JsonValue>(false, [true, null]),
    actions: mostly<JsonValue>(['click', 'screenshot'], [[], ['type'], ['click', 'fill'], 'click']),
    counters: fc.record({
      agent_minute: fc.integer({ min: 1, max: 63 }),
      tenant_minute: fc.integer({ min: 1, max: 310 }),
    }),
  })
  .map(
    (of): JsonValue => ({
      action: 'browse',
      identity: identity(sampleAgent(of.number) + of.nearMiss),
      resource: {
        kind: 'url',
        scheme: of.scheme,
        host: of.host === '' ? `${sampleService(of.number)}.example.com` : of.host,
        port: of.port,
        path: of.path,
        userinfo: of.userinfo,
      },
      actions: of.actions,
      counters: of.counters,
      context: moment,
    }),
  );
