// The operator's gate: a change and the row that tells of it are two things that can fail apart.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Decider } from '../../runtime/decide/decide.ts';
import type { Decision } from '../../runtime/decide/decision.ts';
import { PlatformError } from '../../runtime/errors.ts';
import type { EvidenceDraft, EvidenceRow } from '../../runtime/evidence/row.ts';
import { createOperatorGate } from './operator.ts';

const allowed = { id: 'd', allow: true, controls: [] as string[] } as Decision;
const decider = { decide: () => allowed } as unknown as Decider;

/** A gate over a log that takes rows until `failing` says no. */
function gateOver(failing: (draft: EvidenceDraft) => boolean) {
  const rows: EvidenceDraft[] = [];
  const append = async (draft: EvidenceDraft) => {
    if (failing(draft)) throw new PlatformError('evidence_unavailable', 'the disk is full');
    rows.push(draft);
    return draft as unknown as EvidenceRow;
  };
  const gate = createOperatorGate({ decider, evidence: { append }, trustDomain: 'platform.local' });
  return { gate, rows };
}

const codeOfFailure = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: PlatformError) => error.code,
  );

test('a change whose outcome cannot be written is never said not to have been made', async () => {
  let failures = 0;
  const { gate, rows } = gateOver(({ kind }) => kind === 'outcome' && failures++ === 0);
  let changes = 0;
  const effect = async () => ({ status: 200, body: { changes: ++changes } });
  const code = await codeOfFailure(gate.operate('agents', {}, effect));
  assert.is(code, 'evidence_unavailable');
  assert.is(changes, 1);
  assert.equal(
    rows.map(({ kind }) => kind),
    ['intent'],
  );
});

test('a change that fails leaves its error, and one without an intent is not tried', async () => {
  const failed = gateOver(() => false);
  const effect = async () => {
    throw new PlatformError('input_invalid', 'no such agent');
  };
  assert.is(await codeOfFailure(failed.gate.operate('agents', {}, effect)), 'input_invalid');
  const { outcome, reason } = failed.rows.at(-1)!;
  assert.equal({ outcome, code: reason?.code }, { outcome: 'error', code: 'input_invalid' });

  const unwritten = gateOver(({ kind }) => kind === 'intent');
  let tried = false;
  const never = async () => {
    tried = true;
    return { status: 200, body: {} };
  };
  const code = await codeOfFailure(unwritten.gate.operate('agents', {}, never));
  assert.is(code, 'evidence_unavailable');
  assert.is(tried, false);
});

test.run();
