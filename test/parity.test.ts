// One decision everywhere: the same hostile inputs through Node, Python and the command line give the same ids.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BOUNDARIES, DECISION_MODULES } from '../runtime/decide/boundary.ts';
import { needs } from '../runtime/testing/needs.ts';
import { hostileRequests } from '../runtime/testing/sample-requests.ts';
import { compareHosts, type ParityReport } from '../scripts/parity/compare.ts';
import { type Answer, type HostName, toLine } from '../scripts/parity/host.ts';
import { exampleOf } from '../scripts/parity/report.ts';
import { startHosts } from '../scripts/parity/start.ts';

const COUNT = 20_000;
const SEED = 20260101;
const test = suite('parity');
const names: HostName[] = ['node', 'cli', ...(needs('python') ? (['python'] as const) : [])];
let report: ParityReport;

test.before(async () => {
  await using running = await startHosts(names);
  report = await compareHosts({ ...running, inputs: COUNT, seed: SEED });
});

test('every host gives the id that Node gives, which is the same for bytes and for values', () => {
  assert.is(report.inputs, COUNT);
  assert.is(report.differences.map(exampleOf).join('\n'), '');
  for (const name of names) assert.is(report.hosts.get(name)?.differing, 0, name);
});

test('the generated requests mean something: from 30 % to 90 % of each boundary are allowed', () => {
  for (const boundary of BOUNDARIES) {
    const { inputs, allowed } = report.shares.get(boundary)!;
    assert.ok(allowed >= 0.3 * inputs, `${boundary}: ${allowed} of ${inputs} allowed`);
    assert.ok(allowed <= 0.9 * inputs, `${boundary}: ${allowed} of ${inputs} allowed`);
  }
  for (const module of DECISION_MODULES) assert.ok(report.shares.has(`module ${module}`), module);
});

test('every way in which an input can be refused is among them', () => {
  const codes = [
    ...['input_too_large', 'input_not_utf8', 'input_lone_surrogate', 'input_not_json'],
    ...['input_duplicate_key', 'input_number_not_portable', 'input_too_deep', 'input_key_too_long'],
    ...['input_invalid', 'module_missing', 'module_digest_mismatch', 'schema_invalid'],
    ...['spiffe_wildcard', 'spiffe_path_dot_segment', 'guard_blocked', 'message_admitted'],
  ];
  for (const code of codes) assert.ok(report.codes.has(code), code);
});

test('a host with the right ids that says something else, or does not answer all, is found', async () => {
  await using running = await startHosts(['node']);
  await using second = await startHosts(['node']);
  const { reference } = running;
  const other = second.reference;
  const lying = (change: (answers: Answer[]) => Answer[]) =>
    compareHosts({
      ...{ reference, inputs: 600, seed: SEED },
      hosts: new Map([
        ['cli', { ...other, decide: async (lines) => change(await other.decide(lines)) }],
      ]),
    });
  const plain = ({ id, plain }: Answer): Answer => ({
    ...{ id, allow: plain!.allow, rule: plain!.rule, reason: { code: plain!.code } },
  });
  const differing = async (change: (answer: Answer) => Answer) =>
    (await lying((answers) => answers.map(plain).map(change))).hosts.get('cli')!.differing;
  assert.is(await differing((answer) => answer), 0);
  assert.is(await differing((answer) => ({ ...answer, allow: !answer.allow })), 600);
  assert.is(await differing((answer) => ({ ...answer, rule: 'none' })), 600);
  assert.is(await differing((answer) => ({ ...answer, reason: { code: 'none' } })), 600);
  assert.ok((await differing((answer) => ({ ...answer, allow: true }))) > 100);
  try {
    await lying((answers) => answers.slice(1));
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, /did not answer every request/);
  }
});

test('an id depends on the input, the salt and nothing else', async () => {
  await using running = await startHosts(['node']);
  const requests = hostileRequests(200, SEED);
  const ask = async (change: (request: (typeof requests)[number]) => typeof request) =>
    (await running.reference.decide(requests.map(change).map(toLine))).map((of: Answer) => of.id);
  const ids = await ask((request) => request);
  assert.equal(await ask((request) => request), ids);
  const salted = await ask((request) => ({
    ...request,
    salt: request.salt.map((byte) => byte ^ 1),
  }));
  assert.ok(
    salted.some((id, index) => id !== ids[index]),
    'no salt entered an id',
  );
  assert.ok(
    salted.some((id, index) => id === ids[index]),
    'a salt entered an id that commits nothing',
  );
  const elsewhere = await ask((request) => ({
    ...request,
    boundary: request.boundary === 'tool' ? 'secret' : 'tool',
  }));
  for (const [index, id] of elsewhere.entries()) assert.is.not(id, ids[index]);
});

test.run();
