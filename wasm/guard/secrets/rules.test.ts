// Holds each rule for credentials to examples of its format and to what only looks like them.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Guard } from '../../../runtime/modules/guard.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import { lengths } from '../compiler/program.ts';
import { readRules } from '../compiler/rules-read.ts';
import { planRules, shippedRules } from '../compiler/rules-section.ts';
import { fill, type Random, templates } from './examples.ts';

const guard = Guard.create(moduleBytes('guard'));
const sources = shippedRules().filter(({ file }) => file.includes('rules/secrets/'));
const rules = new Map(readRules(sources).map((rule) => [rule.id, rule]));
const examples = templates();

const ROUNDS = 12;
/** Of random values of the shortest formats so many in a thousand have too little entropy or no digit. */
const MISSED_PER_THOUSAND = 40;
/** What an example of one rule holds beside its own finding. */
const COMPANIONS = ['password_assignment', 'aws_access_key_id'];

/** Numbers that look random and are the same in every run (mulberry32). */
function randomFrom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function find(text: string) {
  return guard.scan({ direction: 'output', scanners: ['Secrets'], text }).findings;
}

test('there are rules for at least 200 kinds, and an example of each', () => {
  assert.ok(new Set([...rules.values()].map(({ kind }) => kind)).size >= 200);
  assert.equal(
    [...rules.keys()].filter((id) => !examples.has(id)),
    [],
  );
  assert.equal(
    [...examples.keys()].filter((id) => !rules.has(id)),
    [],
  );
});

test('every match of a rule holds one of its keywords', () => {
  const whole = planRules(sources).filter(({ isWhole }) => isWhole);
  assert.equal(
    whole.map(({ rule }) => rule.id),
    [],
  );
});

test('examples are found where they are and under no wrong name', () => {
  const random = randomFrom(1);
  for (const [id, list] of examples) {
    const { kind } = rules.get(id)!;
    let missed = 0;
    for (let round = 0; round < ROUNDS; round++) {
      for (const template of list) {
        // The letter of an escape could be the first of a scheme.
        const escape = kind === 'url_credentials' ? '{"a":"x\\n ' : '{"a":"x\\n';
        const before = ['', 'the value: ', escape, 'é\n'][round % 4]!;
        const { text, start, end } = fill(template, random);
        const shift = Buffer.byteLength(before);
        const found = find(`${before}${text}\n`);
        const own = found.find(
          (each) => each.kind === kind && each.start === start + shift && each.end === end + shift,
        );
        if (own === undefined) missed++;
        const others = found.filter(
          (each) =>
            own !== undefined &&
            each.kind !== kind &&
            !COMPANIONS.includes(each.kind) &&
            each.start < own.end &&
            own.start < each.end,
        );
        assert.equal(others, [], `${id}: ${text}`);
      }
    }
    const most = Math.ceil((ROUNDS * list.length * MISSED_PER_THOUSAND) / 1000);
    assert.ok(missed <= most, `${id}: ${missed} of ${ROUNDS * list.length} were not found`);
  }
});

test('a prefix in the middle of a word is none', () => {
  const random = randomFrom(2);
  for (const [id, list] of examples) {
    const { kind } = rules.get(id)!;
    for (const template of list) {
      const { text, start } = fill(template, random);
      if (start > 0 || !/^[0-9A-Za-z]/.test(text)) continue;
      const found = find(`Q${text}`).filter((each) => each.kind === kind && each.start === 1);
      // The scheme of a URL may be any word.
      if (kind !== 'url_credentials') assert.equal(found, [], `${id}: ${text}`);
    }
  }
});

test('less than a format has at least is none', () => {
  const random = randomFrom(3);
  for (const [id, list] of examples) {
    const { kind, pattern } = rules.get(id)!;
    const { least } = lengths(pattern.tree);
    for (const template of list) {
      const { text, start } = fill(template, random);
      if (start > 0 || kind === 'private_key') continue;
      const found = find(text.slice(0, least - 1)).filter((each) => each.kind === kind);
      assert.equal(found, [], `${id}: ${text.slice(0, least - 1)}`);
    }
  }
});

test('one changed character breaks a checksum', () => {
  const random = randomFrom(4);
  const checked = [
    ...['github_token', 'npm_token', 'gitlab_routable_token'],
    ...['grafana_service_account_token', 'age_secret_key', 'nostr_secret_key'],
  ];
  for (const id of checked) {
    const { kind } = rules.get(id)!;
    for (const template of examples.get(id)!) {
      const { text } = fill(template, random);
      for (let at = text.length - 5; at > text.length - 28; at--) {
        if (!/[0-9A-Za-z]/.test(text[at]!)) continue;
        const other = text[at]!.toLowerCase() === 'q' ? 'z' : 'q';
        const letter = /[A-Z]/.test(text[at]!) ? other.toUpperCase() : other;
        const changed = text.slice(0, at) + letter + text.slice(at + 1);
        const found = find(changed).filter((each) => each.kind === kind);
        assert.equal(found, [], `${id}: ${changed}`);
      }
    }
  }
});

test('what stands in the place of a credential is none', () => {
  const fills: [string, (length: number) => string][] = [
    ['letters x', (length) => 'x'.repeat(length)],
    ['letters X', (length) => 'X'.repeat(length)],
    ['stars', (length) => '*'.repeat(length)],
    ['words', (length) => 'your-token-here-'.repeat(20).slice(0, Math.max(length, 11))],
  ];
  for (const [id, list] of examples) {
    for (const template of list) {
      // Only where all that is secret is drawn at random, and is long.
      if (!/\{[A-Za-z](?:1[6-9]|[2-9]\d|\d{3})\}/.test(template)) continue;
      for (const [name, stand] of fills) {
        const text = template
          .replace(/\{D\}/g, '$')
          .replace(/\{(?:lt|gt|n)?\}/g, ' ')
          .replace(/\{u\}/g, () => stand(36))
          .replace(/\{[A-Za-z](\d+)\}/g, (_, length) => stand(Number(length)))
          .replace(/[<>]/g, '');
        assert.equal(find(text), [], `${id} of ${name}: ${text}`);
      }
    }
  }
});

test('a value that only its provider makes a credential is found in the forms that settings have', () => {
  const random = randomFrom(6);
  const forms: ((value: string) => string)[] = [
    (value) => `DATADOG_API_KEY=${value}`,
    (value) => `datadog:\n  api_key: ${value}\n`,
    (value) => `"datadog": {\n    "token": "${value}"\n  }`,
    (value) => JSON.stringify(`{"datadog_key": "${value}"}`),
    (value) => `os.environ["DATADOG_API_KEY"] = "${value}"`,
    (value) => `new DatadogClient('${value}')`,
    (value) => `<add key="DatadogApiKey" value="${value}"/>`,
    (value) => `https://api.datadog.test/v1/x?api_key=${value}`,
    (value) => `Our Datadog API key is ${value}.`,
  ];
  for (const form of forms) {
    const text = form(fill('{H32}', random).text);
    assert.equal(
      find(text).map(({ kind }) => kind),
      ['datadog_key'],
      text,
    );
  }
});

test('hashes, identifiers and encoded data are none', () => {
  const random = randomFrom(5);
  const draw = (template: string) => fill(template, random).text;
  for (let round = 0; round < 200; round++) {
    for (const text of [
      draw('commit {H40}'),
      draw('md5: {H32}'),
      draw('sha256:{H64}'),
      draw('sha512: {H128}'),
      draw('"integrity": "sha512-{B86}=="'),
      draw('id = {u}'),
      draw('datadog-agent.tar.gz md5 {H32}'),
      draw('request {u} to heroku took 3 ms'),
      draw('heroku api request id: {u}'),
      draw('uses: sonarsource/sonarqube-scan-action@{H40} # v5'),
      draw('sentry-cli checksum sha256 {H64}'),
      draw('SPOTIFY_CLIENT_ID={H32}'),
      draw('consul service id = {u}'),
      draw('vault image tag {H40}'),
      draw('data:image/png;base64,iVBORw0KGgo{B400}'),
      draw('AAAAB3NzaC1yc2EAAAADAQABAAAB{B300} jo@host'),
      draw('checksum {A40} of secretary'),
      draw('{B700}'),
      draw('{T500}'),
      draw('{N12} {N16}'),
    ]) {
      assert.equal(find(text), [], text);
    }
  }
});

test.run();
