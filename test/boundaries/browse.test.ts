// The browse boundary as an attacker tries it: URLs that a parser takes apart and a server puts together.
import { isIP } from 'node:net';
import { posix } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import { context, policiesOver } from './policies.ts';
import { partsOf } from './universe.ts';

const me = 'spiffe://a.local/agent/acme/bot/main';

function askWith(hosts: JsonObject): (url: URL) => boolean {
  const ask = policiesOver('browse', { agents: { [me]: { browse: { hosts } } } });
  return (url) => ask(inputOf(url)).allow;
}

/** A URL as a caller hands it over: what the parser of the WHATWG URL Standard in Node says. */
function inputOf(url: URL): JsonObject {
  const scheme = url.protocol.slice(0, -1);
  const standard = { http: 80, https: 443 }[scheme] ?? null;
  return {
    action: 'browse',
    identity: partsOf(me),
    resource: {
      kind: 'url',
      scheme,
      host: url.hostname,
      port: url.port === '' ? standard : Number(url.port),
      path: url.pathname,
      userinfo: url.username !== '' || url.password !== '',
    },
    actions: [],
    counters: { agent_minute: 1, tenant_minute: 1 },
    context,
  };
}

const labels = fc.constantFrom(
  'example',
  'evilexample',
  'exampl',
  'com',
  'co',
  'org',
  'docs',
  'a',
  'local',
  'internal',
  'svc',
  'localhost',
  '127',
  '0',
  '1',
  '169',
  '254',
  '0x7f',
  'xn--e1afmkfd',
  'ex-ample',
  '\u0435xample',
  'EXAMPLE',
  '',
);
const written = fc.oneof(
  fc.array(labels, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.')),
  fc
    .tuple(fc.array(labels, { maxLength: 2 }), fc.constantFrom('example.com', 'docs.example.com'))
    .map(([before, end]) => [...before, end].join('.')),
  fc.constantFrom(
    '[::1]',
    '[::ffff:127.0.0.1]',
    '2130706433',
    '0x7f000001',
    '017700000001',
    '127.1',
    'example.com.',
    'example。com',
  ),
);
const names = fc.oneof(
  written,
  written.map((name) => `*.${name}`),
  fc.constantFrom('*', '*.', '*.com', '.example.com', '*example.com'),
);

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

const internalEnds = [
  'arpa',
  'corp',
  'home',
  'internal',
  'intranet',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'private',
  'svc',
];

/** What the keys of a list of hosts say of a host, by comparing with each. */
function expected(keys: readonly string[], host: string): boolean {
  // A parser lets an asterisk stand in a host.
  if (
    host === '' ||
    host.includes('*') ||
    host.endsWith('.') ||
    host.includes('..') ||
    host.startsWith('.')
  )
    return false;
  if (keys.includes(host)) return true;
  const address = isIP(host) !== 0 || host.startsWith('[');
  if (address || !host.includes('.') || internalEnds.includes(host.split('.').at(-1)!))
    return false;
  return keys.some((key) => {
    const domain = key.slice(2);
    return key.startsWith('*.') && domain.includes('.') && host.endsWith(`.${domain}`);
  });
}

test('a host is reached by its own name or by a domain above it, and never by a look-alike', () => {
  let allowed = 0;
  let hosts = 0;
  const keysOf = fc.uniqueArray(names, { minLength: 1, maxLength: 5 });
  const sample = fc.tuple(keysOf, fc.array(written, { minLength: 25, maxLength: 25 }));
  for (const [keys, texts] of fc.sample(sample, { numRuns: 120, seed: 9 })) {
    const ask = askWith(Object.fromEntries(keys.map((key) => [key, true])));
    const own = keys.map((key) => key.replace(/^\*\./, 'a.'));
    for (const text of [...texts, ...keys, ...own]) {
      const url = parsed(`https://${text}/`);
      if (url === undefined) continue;
      hosts++;
      const answer = ask(url);
      assert.is(answer, expected(keys, url.hostname), `${url.hostname} with ${keys.join(' ')}`);
      if (answer) allowed++;
    }
  }
  assert.ok(allowed > 150, `${allowed} of ${hosts}`);
  assert.ok(hosts - allowed > 500, `${allowed} of ${hosts}`);
});

const pieces = fc.constantFrom(
  'docs',
  'admin',
  'docsx',
  '..',
  '.',
  '',
  '%2e%2e',
  '%2E.',
  '..%2fadmin',
  '%2f',
  '%5c',
  '\\',
  '..;',
  '.;x',
  ';a=b',
  '%61dmin',
  '%252e%252e',
  'a b',
  '\u00e9',
  '%C3%A9',
  '%c3%a9',
  '%',
  '%zz',
  '%00',
  'x%0ay',
  '?q',
  '#f',
  'a.b',
  '.well-known',
  '...',
);
const attacks = fc.array(pieces, { maxLength: 6 }).map((parts) => `/docs/${parts.join('/')}`);

/** Where servers of several habits could take a path to lead: decoded up to twice, parameters cut off. */
function readings(path: string): string[] {
  const all = new Set([path]);
  for (let round = 0; round < 2; round++) {
    for (const each of [...all]) {
      const decoded = each.replace(/%([0-9a-f]{2})/gi, (_, hex) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      );
      all.add(decoded).add(decoded.replaceAll('\\', '/'));
    }
  }
  for (const each of [...all]) all.add(each.replace(/;[^/]*/g, ''));
  return [...all].map((each) => posix.normalize(each));
}

test('whatever a server makes of an allowed path, it stays below the prefix', () => {
  const ask = askWith({ 'a.example.com': { paths: { '/docs': true } } });
  let allowed = 0;
  for (const path of fc.sample(attacks, { numRuns: 4000, seed: 10 })) {
    const url = parsed(`https://a.example.com${path}`);
    if (url === undefined || !ask(url)) continue;
    allowed++;
    for (const reading of readings(url.pathname)) {
      assert.ok(reading === '/docs' || reading.startsWith('/docs/'), `${url} leads to ${reading}`);
    }
  }
  assert.ok(allowed > 150, `${allowed} allowed`);
});

test('no spelling of a path gets by a rule that refuses it', () => {
  const ask = askWith({ 'a.example.com': { paths: { '/': true, '/admin': false } } });
  const spelled = fc
    .array(
      fc.constantFrom('a', 'd', 'm', 'i', 'n', '/', '%61', '%2f', '.', '%2e', ';x', '//', '%41'),
      { maxLength: 9 },
    )
    .map((parts) => `/${parts.join('')}`);
  const near = fc.constantFrom(
    '/admin',
    '/%61dmin',
    '//admin',
    '/./admin',
    '/x/../admin',
    '/admin/',
    '/admin;x',
    '/%2e/admin',
    '/a%64min/x',
  );
  let allowed = 0;
  for (const path of fc.sample(fc.oneof(spelled, near), { numRuns: 3000, seed: 11 })) {
    const url = parsed(`https://a.example.com${path}`);
    if (url === undefined || !ask(url)) continue;
    allowed++;
    for (const reading of readings(url.pathname)) {
      const first = reading.split('/').find((part) => part !== '');
      assert.is.not(first, 'admin', `${url}`);
    }
  }
  assert.ok(allowed > 300, `${allowed} allowed`);
});

test('what a URL says besides host and path lets nothing through', () => {
  const ask = askWith({ 'a.example.com': true } as Record<string, JsonValue> as JsonObject);
  assert.is(ask(new URL('https://a.example.com/x?y#z')), true);
  assert.is(ask(new URL('https://A.EXAMPLE.com:443/')), true);
  for (const text of [
    'http://a.example.com/',
    'https://a.example.com:8443/',
    'https://user@a.example.com/',
    'https://:secret@a.example.com/',
    'https://a.example.com@evil.org/',
    'https://a.example.com%2eevil.org/',
    'https://a.example.com./',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'wss://a.example.com/',
    'ftp://a.example.com/',
  ]) {
    assert.is(ask(new URL(text)), false, text);
  }
});

test.run();
