// `platform policy prove` as a user runs it: the verdict, the files that it writes, the checker's answer.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { InputError } from '../../../runtime/errors.ts';
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

test('refuses names that nothing knows, and half a command', async () => {
  const failure = async (...argv: string[]) => {
    try {
      await proveVerb.run(argv);
    } catch (error) {
      return error as InputError;
    }
    throw new Error('it was accepted');
  };
  const misspelt = 'no identity outside tenant acmee reaches service payments';
  const error = await failure(misspelt, '--data', at('data.json'));
  assert.is(error.hint, 'did you mean: acme');
  assert.instance(await failure('--check', at('proof.json')), UsageError);
  assert.instance(await failure(), UsageError);
});

test.run();
