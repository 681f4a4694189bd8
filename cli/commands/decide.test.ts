// `platform decide` answers a line for each request, and ends at the first line that is none.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeBundleKey } from '../../runtime/bundle/keys.ts';
import { writeSamplePair } from '../../runtime/bundle/testing.ts';
import { sampleData } from '../../runtime/testing/sample-data.ts';

const test = suite('decide');
const cli = fileURLToPath(new URL('../platform.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'platform-decide-'));
const good = { boundary: 'tool', module: 'scope', input: 'e30=', salt: '5a'.repeat(32) };

function decide(...requests: unknown[]) {
  const args = ['decide', '--bundles', folder, '--keys', join(folder, 'bundle.jwk.pub')];
  const input = requests.map((request) => `${JSON.stringify(request)}\n`).join('');
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { input });
  const answers = String(stdout).split('\n').slice(0, -1);
  return { status, said: String(stderr), answers: answers.map((line) => JSON.parse(line)) };
}

test.before(async () => {
  const { keys } = await writeSamplePair(folder, { data: sampleData(5) });
  await writeBundleKey(join(folder, 'bundle.jwk'), keys);
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

test('each request is answered, in order', () => {
  const { status, answers } = decide(good, { ...good, salt: good.salt.toUpperCase() });
  assert.is(status, 0);
  assert.is(answers.length, 2);
  assert.equal(answers[0], answers[1]);
  assert.match(answers[0].id, /^[0-9a-f]{64}$/);
});

for (const change of [{ schema: 'e31=' }, { salt: `${good.salt}zz` }]) {
  test(`a line with ${JSON.stringify(change)} ends it`, () => {
    const { status, answers, said } = decide(good, { ...good, ...change }, good);
    assert.is(status, 1);
    assert.is(answers.length, 1);
    assert.match(said, /line 2: (schema|salt) is /);
  });
}

test.run();
