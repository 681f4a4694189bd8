// Recorded decisions under two policies: what is asked again, what cannot be, and what is shown of it.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BOUNDARIES } from '../../../runtime/decide/boundary.ts';
import { exportOpenings } from '../../../runtime/evidence/openings.ts';
import { record } from '../../../runtime/evidence/testing/drafts.ts';
import { decider, decideTool, draftOf, place } from '../../../runtime/evidence/testing/place.ts';
import type { JsonObject } from '../../../runtime/json.ts';
import { RegoCompiler } from '../../../runtime/modules/rego.ts';
import { sampleData } from '../../../runtime/testing/sample-data.ts';
import { policySources } from '../../commands/policy/sources.ts';
import { stateFolder } from '../../state-folder.ts';
import { decidingOf } from './compare.ts';
import { Comparison } from './comparison.ts';
import { compareEvidence, type EvidenceCoverage, type EvidencePlan } from './evidence-task.ts';
import type { Side } from './side.ts';

const compiler = await RegoCompiler.load();
const shipped = await policySources([]);
const secret = 'S3cr3t-of-a-caller';

/** The platform's policies with one rule of an operator, who may read what is committed in evidence. */
function sideOf(condition?: string): Side {
  const content = `package platform.tool.operator\n\ndeny contains {"code": "to", "message": "no"} if ${condition}\n`;
  const added = condition ? [{ path: 'operator/o/a.rego', content, operator: true }] : [];
  const { wasm, reads, files } = compiler.build({
    ...shipped,
    files: [...shipped.files, ...added],
  });
  return { label: 'test', wasm, reads, files, schemas: {}, data: sampleData(8) };
}
const own = sideOf();
const readsArguments = sideOf(`input.arguments.to == "${secret}"`);

const at = await place('diff');
for (const to of [secret, 'b@example.org', secret]) {
  const decision = decideTool({ to });
  assert.ok(decision.allow, decision.rule);
  await at.log.append(draftOf(decision));
}
const broken = decider.decide({
  ...{ boundary: 'tool', module: 'authorization', salt: new Uint8Array(32) },
  input: Buffer.from('{"action":'),
});
await at.log.append(draftOf(broken));
const openings = exportOpenings(await at.openings.read());
await at.close();
const state = stateFolder(at.root);

async function compared(
  now: Side,
  over: Partial<EvidencePlan> = {},
): Promise<{ coverage: EvidenceCoverage; comparison: Comparison }> {
  const comparison = new Comparison(decidingOf(own), decidingOf(now));
  const plan = { state, storedOpenings: false, reads: now.reads ?? {}, boundaries: BOUNDARIES };
  const coverage = await compareEvidence({ ...plan, ...over }, comparison, record, () => {});
  return { coverage, comparison };
}

test('committed members that a policy reads, without openings, are undetermined and counted', async () => {
  const { coverage, comparison } = await compared(readsArguments);
  assert.equal(coverage, {
    ...{ rows: 4, decisions: 4, asked: 0, unreadable: 1, isCut: false },
    undetermined: { 'the field arguments is committed and no opening of it is given': 3 },
  });
  assert.is(comparison.flips.groups.size, 0);
});

test('with openings, from the store or a file, the flip is found and the example stays committed', async () => {
  for (const over of [{ storedOpenings: true }, { openings }]) {
    const { coverage, comparison } = await compared(readsArguments, over);
    assert.equal([coverage.asked, coverage.unreadable, coverage.undetermined], [3, 1, {}]);
    const [flip, ...others] = [...comparison.flips.groups.values()];
    assert.equal(others, []);
    assert.equal([flip?.name, flip?.kind], ['tool:granted:operator.to', 'allow_to_deny']);
    assert.equal([flip?.recorded, flip?.generated], [2, 0]);
    assert.not.ok(flip?.example.input.includes(secret));
    assert.ok(flip?.example.opened?.includes(secret));
    const { arguments: committed } = JSON.parse(flip?.example.input ?? '') as JsonObject;
    assert.equal(Object.keys(committed as JsonObject), ['$commitment']);
  }
});

test('what no policy reads needs no opening', async () => {
  const { coverage, comparison } = await compared(sideOf('input.resource.name == "mail_send"'));
  assert.equal([coverage.asked, coverage.undetermined], [3, {}]);
  assert.is([...comparison.flips.groups.values()][0]?.recorded, 3);
});

test('only the last rows, only the boundaries asked for, and no more after the deadline', async () => {
  const { coverage: last } = await compared(readsArguments, { rowsMax: 2 });
  assert.equal([last.rows, last.unreadable], [2, 1]);
  const { coverage: others } = await compared(readsArguments, { boundaries: ['secret'] });
  assert.equal([others.rows, others.decisions], [4, 0]);
  const { coverage: late } = await compared(readsArguments, { deadline: 0 });
  assert.equal([late.rows, late.isCut], [0, true]);
});

test.run();
