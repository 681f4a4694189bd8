// `platform policy prove` as a user runs it: the verdict, the files that it writes, the checker's answer.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UsageError } from '../../options.ts';
import { evalVerb } from './eval.ts';
import { proveVerb } from './prove.ts';

const folder = mkdtempSync(join(tmpdir(), 'platform-prove-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);

const id = (path: string) => `spiffe://platform.local/agent/${path}/main`;
const entry = (path: string, service: string) => {
  const [tenant, agent] = path.split('/');
  return { tenant, agent, role: 'main', resources: { [service]: { actions: { read: true } } } };
};
const data = {
  agents: {
    [id('acme/buyer')]: entry('acme/buyer', 'orders'),
    [id('acme/payer')]: entry('acme/payer', 'payments'),
    [id('globex/desk')]: entry('globex/desk', 'orders'),
  },
  limits: { agent_minute: 120, tenant_minute: 600 },
};
writeFileSync(at('data.json'), JSON.stringify(data));

/** Runs a verb and gives its exit code and the one JSON document that it printed. */
async function run(verb: typeof proveVerb, argv: string[]) {
  const write = process.stdout.write;
  let printed = '';
  process.stdout.write = ((text: string) => {
    printed += text;
    return true;
  }) as typeof write;
  try {
    const code = await verb.run([...argv, '--json']);
    return { code, answer: JSON.parse(printed) };
  } finally {
    process.stdout.write = write;
  }
}

const prove = (sentence: string, ...more: string[]) =>
  run(proveVerb, [sentence, '--data', at('data.json'), ...more]);

test('proves, writes a certificate and the bundles, and the checker agrees', async () => {
  const sentence = 'no identity outside tenant acme reaches service payments';
  const files = ['--certificate', at('proof.json'), '--bundle-out', at('evidence')];
  const { code, answer } = await prove(sentence, ...files);
  assert.is(code, 0);
  assert.is(answer.verdict, 'proved');
  const certificate = JSON.parse(readFileSync(at('proof.json'), 'utf8'));
  assert.equal(certificate.bundle, answer.bundle);
  assert.equal(certificate.assumptions, []);
  const cases = certificate.cases.map((one: { when: Record<string, string> }) => one.when);
  assert.equal(cases, [
    { '/identity/spiffe_id': id('acme/buyer'), '/resource/service': 'orders' },
    { '/identity/spiffe_id': id('acme/payer'), '/resource/service': 'payments' },
    { '/identity/spiffe_id': id('globex/desk'), '/resource/service': 'orders' },
  ]);
  const check = ['--check', at('proof.json'), '--bundle', at('evidence')];
  const checked = await run(proveVerb, check);
  assert.is(checked.code, 0, JSON.stringify(checked.answer));
  certificate.cases.pop();
  writeFileSync(at('proof.json'), JSON.stringify(certificate));
  assert.is((await run(proveVerb, check)).code, 1);
});

test('refutes with inputs that eval allows', async () => {
  const files = ['--counterexample', at('shared.json')];
  const { code, answer } = await prove('agents buyer and desk share no service', ...files);
  assert.is(code, 1);
  assert.is(answer.verdict, 'refuted');
  for (const name of ['shared.json', 'shared-2.json']) {
    const asked = ['--input', at(name), '--data', at('data.json'), '--boundary', 'tool'];
    assert.is((await run(evalVerb, asked)).answer.allow, true, name);
  }
});

/** Runs the verb and gives its exit code and all that it printed. */
async function printed(...argv: string[]) {
  const { stdout, stderr } = process;
  const writes = [stdout.write, stderr.write] as const;
  let text = '';
  stdout.write = stderr.write = ((part: string) => {
    text += part;
    return true;
  }) as typeof stdout.write;
  try {
    return { code: await proveVerb.run(argv), text };
  } finally {
    [stdout.write, stderr.write] = writes;
  }
}

test('refuses sentences that are not understood, names that nothing knows, and half a command', async () => {
  const options = ['--data', at('data.json')];
  for (const [sentence, says] of [
    ['no identity outside tenant acmee reaches service payments', /did you mean: acme\n/],
    ['agents buyer and nobody share no service', /agent nobody/],
    ['no identity outside tenant acme reaches service payment', /did you mean: payments/],
    ['agents buyer and desk share no service at tol', /boundary tol name no service/],
    ['only buyer reach secret scope s', /is a scope s/],
    ['buyers pay', /write it as/],
    ['agents buyer and d\u0435sk share no service', /code: sentence_characters/],
  ] as const) {
    const { code, text } = await printed(sentence, ...options);
    assert.is(code, 2, sentence);
    assert.match(text, says);
  }
  for (const argv of [['--check', at('proof.json')], []]) {
    try {
      await proveVerb.run(argv);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, UsageError);
    }
  }
});

test('says that reads are not covered, in the text and in JSON, and when it is checked again', async () => {
  const scope = 'spiffe://platform.local/agent/acme/*';
  const sentence = `only acme/payer reach secret scope ${scope}`;
  const files = ['--certificate', at('scope.json'), '--bundle-out', at('scope')];
  const { answer } = await prove(sentence, ...files);
  assert.is(answer.verdict, 'proved');
  assert.match(answer.note, /reads are not covered/);
  assert.match((await printed(sentence, '--data', at('data.json'))).text, /reads are not covered/);
  const check = ['--check', at('scope.json'), '--bundle', at('scope')];
  assert.match((await run(proveVerb, check)).answer.note, /reads are not covered/);
  assert.match((await printed(...check)).text, /^.*holds.*\n {2}reads are not covered/);
});

test('nothing of a certificate steers the terminal', async () => {
  const certificate = JSON.parse(readFileSync(at('scope.json'), 'utf8'));
  for (const change of [
    { property: { text: `${certificate.property.text}\x1b[2K` } },
    { cases: [{ when: { '/a\u202e~': 'x' } }] },
    { '\u202eextra': 1 },
    {
      cases: [
        {
          when: {
            '/identity/spiffe_id': '\u009b2K',
            '/resource/scope': 'spiffe://platform.local/agent/acme/*',
          },
        },
      ],
    },
  ]) {
    writeFileSync(at('bad.json'), JSON.stringify({ ...certificate, ...change }));
    const { code, text } = await printed('--check', at('bad.json'), '--bundle', at('scope'));
    assert.is(code, 1);
    for (const bad of ['\x1b[2K', '\u202e', '\u009b']) assert.not.ok(text.includes(bad));
  }
});

test.run();
