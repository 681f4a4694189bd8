// Rows of refused messages hold under an audit: every decision about the body is made again, from its openings.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readBundle } from '../../runtime/bundle/files.ts';
import { loadPair } from '../../runtime/bundle/load.ts';
import { writeSamplePair } from '../../runtime/bundle/testing.ts';
import { BUILT_MODULES, createLocalDecider } from '../../runtime/decide/local.ts';
import { PlatformError } from '../../runtime/errors.ts';
import { audit } from '../../runtime/evidence/audit/audit.ts';
import { openEvidenceLog } from '../../runtime/evidence/log.ts';
import { OpeningsStore } from '../../runtime/evidence/openings.ts';
import { record, signer } from '../../runtime/evidence/testing/drafts.ts';
import { decideRequest } from '../../runtime/mesh/request.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';
import { bodiesData, posted, rpc, toolCall } from '../../runtime/proxywasm/testing/bodies.ts';
import { SAMPLE_TRUST_DOMAIN, sampleAgent, sampleData } from '../../runtime/testing/sample-data.ts';
import { recordRefusal } from './refusals.ts';

const folder = mkdtempSync(join(tmpdir(), 'refusals-'));
const at = (...parts: string[]) => join(folder, ...parts);
// Put together here: no text of this repository looks like a live credential.
const secret = ['AKIA', 'QYLPMN5HFIQR7XYA'].join('');
/** Agent 2 has the service `files`. */
const agent = sampleAgent(2);

/** Why each is refused, and by how many decisions. */
const refused: [body: string, module: string, decisions: number][] = [
  [rpc('tools/destroy'), 'authorization', 2],
  ['[]', 'authorization', 2],
  [toolCall('files_get', { path: '/a', more: 1 }), 'arguments', 3],
  [toolCall('files_get', { path: secret }), 'guard', 4],
];

test('a refused message is reproduced with its openings, and undetermined without them', async () => {
  const data = { ...sampleData(40), ...bodiesData };
  const { trusted } = await writeSamplePair(at('bundles'), { data });
  const pair = await loadPair(at('bundles'), trusted);
  const decider = createLocalDecider({ current: () => pair });
  const openings = new OpeningsStore({ dir: at('openings'), keysDir: at('keys') });
  const [evidence, checkpoints] = [at('evidence'), at('checkpoints')];
  const log = await openEvidenceLog({
    ...{ dir: evidence, checkpointsDir: checkpoints, signer, record, openings },
  });
  for (const kind of ['policy', 'data'] as const) {
    await log.objects.putBundle(pair[kind].revision, await readBundle(at('bundles', kind)));
  }
  for (const module of BUILT_MODULES) await log.putObject(moduleBytes(module));
  for (const [body, module, count] of refused) {
    const facts = {
      ...{ spiffeId: agent, trustDomain: SAMPLE_TRUST_DOMAIN, service: 'files' },
      ...{ requestId: 'r-1', time: '2026-01-31T12:00:00.000Z', salt: randomBytes(32) },
    };
    const judgement = decideRequest({ decider, record }, facts, posted('/mcp', body));
    assert.not(judgement.allow, body);
    assert.is(judgement.settled.module, module, body);
    assert.is(judgement.decisions.length, count, body);
    for (const schema of judgement.schemas) await log.putObject(schema);
    const refusal = {
      ...{ error: new PlatformError('denied', 'refused'), requestId: 'r-1', time: facts.time },
      ...{ method: 'POST', spiffeId: agent },
    };
    await recordRefusal(log, { service: 'files' }, refusal, judgement);
  }
  await log.close();
  await openings.close();
  assert.not(readFileSync(at('evidence', 'segment')).includes(secret));
  const options = { evidence, checkpoints, bundleKeys: trusted, record };
  const known = await audit({ ...options, openings: await openings.read() });
  assert.is(known.tampered, undefined);
  assert.equal(known.diverged, []);
  assert.equal(known.rowVerdicts, { reproduced: refused.length, diverged: 0, undetermined: 0 });
  const blind = await audit({ ...options, openings: new Map() });
  assert.equal(blind.rowVerdicts, { reproduced: 2, diverged: 0, undetermined: 2 });
});

test.after(() => rmSync(folder, { recursive: true, force: true }));
test.run();
