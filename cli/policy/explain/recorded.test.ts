// Decisions of real evidence explained: with openings whole, without them only as far as they go.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../../../runtime/errors.ts';
import { decider, decideTool, draftOf, place } from '../../../runtime/evidence/testing/place.ts';
import { pictureOf } from '../../../runtime/explain/picture.ts';
import { textOf } from '../../../runtime/explain/text.ts';
import { viewOf } from '../../../runtime/explain/view.ts';
import { sampleRequests } from '../../../runtime/testing/sample-requests.ts';
import { stateFolder } from '../../state-folder.ts';
import { createExplainer } from '../../up/explain.ts';
import { explainRecorded } from './recorded.ts';

const at = await place('explained');
const decision = decideTool({ password: 'S3cr3t' });
await at.log.append(draftOf(decision));
const samples = sampleRequests(60, 11).filter(({ module }) => module === 'authorization');
const decisions = samples.map((sample) => decider.decide(sample));
for (const each of decisions) await at.log.append(draftOf(each));
const argumentsOnly = sampleRequests(60, 11).find(({ module }) => module === 'arguments')!;
if (argumentsOnly.schema) await at.log.putObject(argumentsOnly.schema);
const checked = decider.decide(argumentsOnly);
await at.log.append(draftOf(checked));
await at.close();
const state = stateFolder(at.root);

test('with its openings a decision is explained whole, and the rules give what was recorded', async () => {
  const explanation = await explainRecorded(state, decision.id);
  assert.equal(explanation.unknown, []);
  assert.is(explanation.diverges, false);
  assert.is(explanation.allow, decision.allow);
  for (const each of decisions.slice(0, 6)) {
    const found = await explainRecorded(state, each.id.slice(0, 16));
    assert.is(found.diverges, false, each.id);
    assert.is(found.allow, each.allow);
    assert.ok(textOf(viewOf(found)).includes(found.rule));
  }
});

test('an id that nothing has and one that is no id are said to be so', async () => {
  for (const id of ['f'.repeat(64), 'xyz', '../../../etc']) {
    const error = await explainRecorded(state, id).catch((reason: unknown) => reason);
    assert.is(codeOf(error), 'object_missing', id);
  }
});

test('what another module decided has its reasons and no rules', async () => {
  const explanation = await explainRecorded(state, checked.id);
  assert.is(explanation.allow, checked.allow);
  assert.equal(explanation.tree, []);
  if (!checked.allow) assert.ok(explanation.reasons.length > 0);
  assert.match(textOf(viewOf(explanation)), /the module arguments decided this; it has no rules/);
});

test('the page gets its picture from a thread, and the reason where there is none', async () => {
  const explain = createExplainer(state);
  const expected = pictureOf(viewOf(await explainRecorded(state, decision.id)));
  const [{ picture }, missing] = await Promise.all([
    explain(decision.id),
    explain('f'.repeat(64)).catch((reason: unknown) => reason),
  ]);
  assert.equal(picture as unknown, JSON.parse(JSON.stringify(expected)));
  assert.is(codeOf(missing), 'object_missing');
});

test('without openings the committed member is unknown, and nothing of it is shown', async () => {
  await at.openings.erase();
  const explanation = await explainRecorded(state, decision.id);
  assert.ok(explanation.unknown.includes('arguments'));
  assert.is(explanation.allow, decision.allow, 'what was recorded stands');
  assert.not.match(JSON.stringify(explanation), /S3cr3t/);
  assert.match(textOf(viewOf(explanation)), /input\.arguments.* committed/);
});

test.run();
