// Tests of the Secrets scanner; examples are put together at run time so that no secret format stands in this file.

import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Guard } from '../../../runtime/modules/guard.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';

const guard = Guard.create(moduleBytes('guard'));

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();
const DIGITS = '0123456789';
const ALNUM = UPPER + LOWER + DIGITS;
const TOKEN = `${ALNUM}-_`;
const HEX = '0123456789abcdef';

/** `length` characters that look random and are the same in every run. */
function noise(alphabet: string, length: number): string {
  let state = length * 7919 + alphabet.length;
  let text = '';
  while (text.length < length) {
    state = (state * 1103515245 + 12345) % 2147483648;
    text += alphabet[Math.floor(state / 65536) % alphabet.length];
  }
  return text;
}

/** 30 characters and the checksum that GitHub's and npm's tokens end with: their CRC-32, six digits of base 62. */
function withChecksum(prefix: string): string {
  const body = noise(ALNUM, 30);
  let checksum = '';
  for (let left = crc32(body); checksum.length < 6; left = Math.floor(left / 62)) {
    checksum = (DIGITS + UPPER + LOWER)[left % 62] + checksum;
  }
  return prefix + body + checksum;
}

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

const header = base64url({ alg: 'RS256', typ: 'JWT' });
const payload = base64url({ sub: '1', exp: 1 });
const pem = (label: string) =>
  `-----${'BEGIN'} ${label}-----\n${noise(ALNUM, 64)}\n${noise(ALNUM, 20)}==\n-----END ${label}-----`;

/** One real-looking example or more of each kind; the whole of it is the finding. */
const examples: Record<string, string[]> = {
  anthropic_key: [`sk-${'ant'}-api03-${noise(TOKEN, 93)}AA`],
  aws_access_key_id: ['AK', 'AS'].map((start) => `${start}IA${noise(`${UPPER}234567`, 16)}`),
  azure_client_secret: [`abc8Q${'~'}${noise(ALNUM, 34)}`],
  databricks_token: [`da${'pi'}${noise(HEX, 32)}`],
  digitalocean_token: ['dop', 'doo', 'dor'].map((kind) => `${kind}_${'v1'}_${noise(HEX, 64)}`),
  docker_token: [`dckr_${'pat'}_${noise(TOKEN, 27)}`],
  github_token: [
    ...['p', 'o', 'u', 's', 'r'].map((kind) => withChecksum(`gh${kind}_`)),
    `github_${'pat'}_${noise(ALNUM, 22)}_${noise(ALNUM, 59)}`,
  ],
  gitlab_token: ['pat', 'dt', 'rt', 'ptt', 'cbt'].map((kind) => `gl${kind}-${noise(ALNUM, 20)}`),
  google_api_key: [`AI${'za'}${noise(TOKEN, 35)}`],
  google_oauth: [`GOC${'SPX'}-${noise(ALNUM, 28)}`, `ya${'29'}.${noise(TOKEN, 60)}`],
  huggingface_token: [`h${'f_'}${noise(UPPER + LOWER, 34)}`],
  jwt: [`${header}.${payload}.${noise(TOKEN, 86)}`],
  npm_token: [withChecksum(`np${'m_'}`)],
  openai_key: [
    `s${'k-'}${noise(ALNUM, 48)}`,
    `sk-${'proj'}-${noise(TOKEN, 74)}T3BlbkFJ${noise(TOKEN, 74)}`,
  ],
  private_key: ['RSA PRIVATE KEY', 'PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'EC PRIVATE KEY'].map(pem),
  pypi_token: [`py${'pi'}-AgEIcHlwaS5vcmc${noise(TOKEN, 100)}`],
  sendgrid_key: [`S${'G.'}${noise(ALNUM, 22)}.${noise(ALNUM, 43)}`],
  shopify_token: [`shp${'at'}_${noise(HEX, 32)}`],
  slack_token: [
    `xo${'xb'}-${noise(DIGITS, 12)}-${noise(DIGITS, 12)}-${noise(ALNUM, 24)}`,
    `xa${'pp'}-1-A${noise(DIGITS, 10)}-${noise(HEX, 64)}`,
  ],
  slack_webhook: [
    `https://hooks.slack.com/${'services'}/T${noise(DIGITS, 8)}/B${noise(DIGITS, 8)}/${noise(ALNUM, 24)}`,
  ],
  stripe_key: ['sk', 'rk'].map((kind) => `${kind}_${'live'}_${noise(ALNUM, 24)}`),
  telegram_bot_token: [`${noise(DIGITS, 9)}:${'AA'}${noise(TOKEN, 33)}`],
  twilio_key: ['SK', 'AC'].map((kind) => `${kind}${noise(HEX, 32)}`),
  url_credentials: ['postgres://app:s3cret@db.internal', 'https://jo:pa55@example.com'].map((url) =>
    url.slice(0, url.indexOf('@')),
  ),
  vault_token: [`hv${'s.'}${noise(ALNUM, 90)}`],
};

function kinds(text: string): string[] {
  const { findings } = guard.scan({ direction: 'output', scanners: ['Secrets'], text });
  return findings.map((finding) => finding.kind);
}

for (const [kind, values] of Object.entries(examples)) {
  test(`${kind} is found whole, alone and within text`, () => {
    const tail = kind === 'url_credentials' ? '@db.example.com' : '';
    for (const value of values) {
      for (const [before, after] of [
        ['', ''],
        ['the key is ', '.'],
        ['{"a":"', '"}'],
        ['é', 'é'],
        ['line\n', '\nline'],
        ['(', ')'],
      ] as const) {
        const text = `${before}${value}${tail}${after}`;
        const { allow, findings } = guard.scan({
          direction: 'input',
          scanners: ['Secrets'],
          text,
        });
        const start = Buffer.byteLength(before);
        const found = findings.find((finding) => finding.kind === kind && finding.start === start);
        assert.ok(found, `${kind} in ${text}: ${JSON.stringify(findings)}`);
        assert.is(allow, false);
        // A dot belongs to the alphabet of few tokens; there the sentence's full stop is taken along.
        assert.ok(found.end - start - Buffer.byteLength(value) <= 1, `${kind} ends late`);
        assert.ok(found.end - start >= Buffer.byteLength(value), `${kind} ends early`);
      }
    }
  });

  test(`${kind} is found after an escape in JSON text`, () => {
    const tail = kind === 'url_credentials' ? '@db.example.com' : '';
    for (const value of values) {
      const text = JSON.stringify({ a: `x\n${value}${tail}`, b: `\u0001${value}${tail}` });
      assert.is(kinds(text).filter((found) => found === kind).length, 2, text);
    }
  });
}

const cut = (value: string) => value.slice(0, -1);

test('a fixed-length format that is one character short is not that format', () => {
  for (const kind of ['aws_access_key_id', 'databricks_token', 'shopify_token', 'twilio_key']) {
    for (const value of examples[kind]!) assert.equal(kinds(cut(value)), [], value);
  }
  assert.equal(kinds(cut(examples.npm_token![0]!)), []);
  assert.equal(kinds(cut(examples.digitalocean_token![0]!)), []);
  assert.equal(kinds(cut(examples.google_api_key![0]!)), []);
  assert.equal(kinds(cut(examples.github_token![0]!)), []);
});

test('a prefix in the middle of a word is no token', () => {
  for (const kind of ['github_token', 'npm_token', 'huggingface_token', 'aws_access_key_id']) {
    for (const value of examples[kind]!) assert.equal(kinds(`x${value}`), [], value);
  }
  assert.equal(kinds('the task-based-and-very-long-hyphenated-name-of-a-module'), []);
  assert.equal(kinds('AKIAHOUSEOFCARDSANDMORE'), []);
});

test('a JSON Web Token needs a header with an algorithm, a payload and a signature', () => {
  const signature = noise(TOKEN, 43);
  assert.equal(kinds(`${header}.${payload}.`), []);
  assert.equal(kinds(`${header}.${payload}`), []);
  assert.equal(kinds(`${base64url({ typ: 'JWT' })}.${payload}.${signature}`), []);
  assert.equal(kinds(`${header}.${noise(LOWER, 20)}.${signature}`), []);
  assert.equal(kinds(`eyJhbGciOi.${payload}.${signature}`), []);
  assert.equal(kinds(`Bearer ${header}.${payload}.${signature}`), ['jwt']);
  assert.equal(kinds(`eyJ-eyJ_${header}.${payload}.${signature}`), ['jwt']);
});

test('a public key or a certificate is not private', () => {
  assert.equal(kinds(pem('PUBLIC KEY')), []);
  assert.equal(kinds(pem('CERTIFICATE')), []);
  assert.equal(kinds(pem('PGP PRIVATE KEY BLOCK')), ['private_key']);
  assert.equal(kinds(pem('ENCRYPTED PRIVATE KEY').split('\n')[0]!), ['private_key']);
});

test('an AWS secret key needs a word that names it', () => {
  const secret = `${noise(UPPER + LOWER, 17)}/K7${noise(ALNUM, 9)}/b${noise(ALNUM, 9)}`;
  assert.is(secret.length, 40);
  assert.equal(kinds(`aws_secret_access_key = ${secret}`), ['aws_secret_access_key']);
  assert.equal(kinds(`{"SecretAccessKey":"${secret}"}`), ['aws_secret_access_key']);
  assert.equal(kinds(`AWS: ${secret}`), ['aws_secret_access_key']);
  assert.equal(kinds(`the digest is ${secret}`), []);
  assert.equal(kinds(`aws commit ${noise(HEX, 40)}`), []);
  assert.equal(kinds(`secret ${secret}x`), []);
});

test('an Azure storage key is found by its connection string', () => {
  const key = `${noise(ALNUM, 86)}==`;
  const text = `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${key};EndpointSuffix=core`;
  assert.equal(kinds(text), ['azure_storage_key']);
  assert.equal(kinds(text.replace('==', '')), []);
});

test('assigned passwords are found, words and variables are not', () => {
  for (const text of [
    'password=hunter22',
    'PASSWORD: "hunter22"',
    "db_password = 'c0rrect-h0rse'",
    '{"password":"hunter22"}',
    '{\\"password\\":\\"hunter22\\"}',
    'https://x.example/?api_key=abcd1234abcd1234',
    'client_secret := Zx9!aaaa',
    'auth-token: 0123456789abcdefabcdef',
    'passwd==hunter2222',
    'password = "hunter22[x"',
    'password = "(hunter22"',
  ]) {
    assert.equal(kinds(text), ['password_assignment'], text);
  }
  for (const text of [
    'password: required',
    'password: ********',
    'password=${PASSWORD_1}',
    'password = <your-password-1>',
    'password: {{ password1 }}',
    'password = getenv("PASSWORD1")',
    'password = "getenv(PASSWORD_1)"',
    'password = "passwords[1]"',
    'password: short1',
    'token = states[nextState1]',
    'The password is never 12345678 or so',
    'passwords: 12345678',
    'token: integer',
    'monkey = banana12banana12',
    'primary_key: user_id_12345678',
  ]) {
    assert.equal(kinds(text), [], text);
  }
});

test('a specific format beside a password name is reported once, as itself', () => {
  assert.equal(kinds(`api_key="${examples.github_token![0]}"`), ['github_token']);
});

test('URLs without a password or with a placeholder are fine', () => {
  for (const text of [
    'https://example.com/a:b@c',
    'https://user@example.com',
    'https://example.com:8080/@me',
    'postgres://user:${PASSWORD}@host/db',
    'postgres://user:****@host/db',
    'ssh://git@host:22',
  ]) {
    assert.equal(kinds(text), [], text);
  }
});

test('a word behind a credential does not hide it; one in its place does', () => {
  const key = ['hf', noise(UPPER + LOWER, 34)].join('_');
  const slack = ['xoxb', noise(DIGITS, 12), noise(DIGITS, 12), noise(ALNUM, 24)].join('-');
  for (const value of [key, slack]) {
    assert.is(kinds(value).length, 1, value);
    for (const word of ['example', 'Example', 'xxxxxx', 'placeholder', 'redacted']) {
      assert.equal(kinds(value + word), kinds(value), word);
    }
  }
  assert.equal(kinds(`hf_example${noise(UPPER + LOWER, 34)}`), []);
});

test('a private key in a comment, a table or a quotation is found', () => {
  for (const sign of ['# ', ' * ', '| ', '> ', '// ']) {
    const text = pem('PRIVATE KEY').replace(/^/gm, sign);
    assert.equal(kinds(text), ['private_key'], sign);
  }
});

test('a secret planted in any text is found', () => {
  const all = Object.entries(examples).flatMap(([kind, values]) =>
    values.map((value) => ({
      kind,
      value: kind === 'url_credentials' ? `${value}@db.example.com` : value,
    })),
  );
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.constantFrom(...all),
      fc.string({ unit: 'binary', maxLength: 200 }),
      (before, { kind, value }, after) => {
        const text = `${before.toWellFormed()} ${value} ${after.toWellFormed()}`;
        assert.ok(kinds(text).includes(kind), kind);
      },
    ),
    { numRuns: 2000 },
  );
});

test.run();
