// The rules of conduct over rows in their order: what must come before what, and what may not be missing.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../json.ts';
import { openEvidenceLog } from '../log.ts';
import { decodeRow, type EvidenceDraft, encodeRow } from '../row.ts';
import { decision, draft, record, signer, temporaryState } from '../testing/drafts.ts';
import { audit } from './audit.ts';
import { Conduct } from './conduct.ts';

const caller = draft().spiffe_id;
const inputOf = (over: JsonObject = {}) =>
  record
    .canonicalize(
      Buffer.from(
        JSON.stringify({
          identity: { spiffe_id: caller },
          resource: { kind: 'tool', name: 'send_email' },
          ...over,
        }),
      ),
    )
    .slice();
const authorized = (output: JsonObject, input?: JsonObject) =>
  decision(output, { committedInput: inputOf(input) });
const allow = authorized({ allow: true });
const deny = authorized({ allow: false });
const question = [{ kind: 'require_approval', question: 'really?' }];
const parked = authorized({ allow: false, obligations: question });
const guard = (output: JsonObject) => decision(output, { module: 'guard' });
const credential = (output: JsonObject) =>
  decision(output, { boundary: 'credential', committedInput: inputOf() });

/** What is said of each of these rows, one after the other. */
function judge(...drafts: Partial<EvidenceDraft>[]): (string | undefined)[] {
  const conduct = new Conduct();
  return drafts.map((over, sequence) => {
    const row = encodeRow(draft({ action: 'a', ...over }), 'log', sequence, record);
    return conduct.check(decodeRow(row))?.why;
  });
}
const begun = { kind: 'intent', decisions: [allow] } as const;
const fine = (...drafts: Partial<EvidenceDraft>[]) =>
  assert.equal(
    judge(...drafts),
    drafts.map(() => undefined),
  );
/** The last row is wrong, and only that. */
const wrong = (why: RegExp, ...drafts: Partial<EvidenceDraft>[]) => {
  const found = judge(...drafts);
  assert.match(found.pop() ?? '', why);
  assert.ok(found.every((each) => each === undefined));
};

test('what the platform writes is consistent', () => {
  fine(begun, { kind: 'outcome', outcome: 'ok', decisions: [guard({ allow: true })] });
  fine(begun, { kind: 'outcome', outcome: 'denied', decisions: [guard({ allow: false })] });
  fine(begun, { kind: 'outcome', outcome: 'unknown' }, begun, { kind: 'outcome', outcome: 'ok' });
  fine({ kind: 'intent', decisions: [allow, guard({ allow: true }), credential({ allow: true })] });
  fine({ kind: 'event', decisions: [parked] }, { kind: 'intent', decisions: [parked, allow] });
  fine({ kind: 'event', decisions: [allow], subject: { catalog: 'list' } });
  const limits: JsonObject[] = [
    { bytes: 9, kind: 'max_bytes' },
    { kind: 'redact', paths: ['/a'] },
  ];
  fine({ kind: 'intent', decisions: [authorized({ allow: true, obligations: limits })] });
  fine({ kind: 'denial', decisions: [deny] });
  fine({ kind: 'denial', decisions: [allow, guard({ allow: false })] });
  fine({ kind: 'denial', decisions: [parked], reason: { code: 'approval_denied', message: '' } });
  for (const code of ['caller_unknown', 'tool_unknown', 'input_not_json', 'spiffe_id_invalid']) {
    fine({ kind: 'denial', decisions: [], reason: { code, message: '' } });
  }
});

test('an effect that nothing allowed is told', () => {
  wrong(/no decision allows/, { kind: 'intent' });
  wrong(/denied it/, { kind: 'intent', decisions: [deny] });
  wrong(/denied it/, { kind: 'intent', decisions: [parked] });
  wrong(/denied it/, { kind: 'intent', decisions: [allow, deny] });
  wrong(/denied it/, { kind: 'intent', decisions: [allow, guard({ allow: false })] });
  wrong(/denied it/, { kind: 'intent', decisions: [allow, credential({ allow: false })] });
  wrong(/denied it/, { kind: 'intent', decisions: [authorized({ allow: 'true' })] });
  const obliged = [question, 'x', {}, null].map((obligations) => ({ allow: true, obligations }));
  for (const output of obliged) {
    wrong(/denied it/, { kind: 'intent', decisions: [authorized(output as JsonObject)] });
  }
  const limit = { bytes: 9, kind: 'max_bytes' };
  const malformed = [[{ ...limit, bytes: '9' }], [limit, { kind: 'log' }], [limit, question]];
  for (const obligations of malformed) {
    const decisions = [authorized({ allow: true, obligations: obligations as JsonObject[] })];
    wrong(/denied it/, { kind: 'intent', decisions });
  }
  // The credential's caller honours nothing, whatever a tool's caller does.
  const uses = credential({ allow: true, obligations: [limit] });
  wrong(/denied it/, { kind: 'intent', decisions: [allow, uses] });
  wrong(/no decision allows/, { kind: 'intent', decisions: [guard({ allow: true })] });
  wrong(/no decision allows/, { kind: 'intent', decisions: [credential({ allow: true })] });
  wrong(/no decision allows/, { kind: 'event' });
  wrong(/denied it/, { kind: 'event', decisions: [deny] });
});

test('an allow for another caller or another tool is none', () => {
  const others: JsonObject[] = [
    { identity: { spiffe_id: 'spiffe://platform.local/agent/acme/other/main' } },
    { identity: null },
    { resource: { kind: 'tool', name: 'delete_all' } },
    { resource: null },
  ];
  for (const other of others) {
    const decisions = [authorized({ allow: true }, other)];
    wrong(/another caller, tool or secret/, { kind: 'intent', decisions });
  }
});

test('an exchange is about who asks in it', () => {
  const exchange = (asking: JsonObject): Partial<EvidenceDraft> => {
    const committedInput = Buffer.from(JSON.stringify(asking));
    const decisions = [decision({ allow: true }, { boundary: 'exchange', committedInput })];
    return { kind: 'intent', boundary: 'exchange', decisions };
  };
  fine(exchange({ service: 's', spiffe_id: caller }));
  for (const asking of [{ spiffe_id: `${caller}x` }, { identity: { spiffe_id: caller } }, {}]) {
    wrong(/another caller, tool or secret/, exchange(asking as JsonObject));
  }
});

test('an outcome without its intent, and a denial that nothing denied, are told', () => {
  wrong(/no intent/, { kind: 'outcome', outcome: 'ok' });
  wrong(/no intent/, begun, { kind: 'outcome', outcome: 'ok', action: 'b' });
  wrong(/no intent/, begun, { kind: 'outcome' }, { kind: 'outcome' });
  wrong(/still open/, begun, begun);
  wrong(/was denied/, begun, {
    ...{ kind: 'outcome', outcome: 'ok', decisions: [guard({ allow: false })] },
  });
  wrong(/no decision denies/, { kind: 'denial' });
  wrong(/no decision denies/, { kind: 'denial', decisions: [allow] });
  for (const code of ['denied', 'guard_blocked', 'role_mismatch', 'checkpoint_invalid', '']) {
    wrong(/no decision denies/, { kind: 'denial', reason: { code, message: '' } });
  }
});

test('an audit does not call such rows reproduced', async () => {
  const state = temporaryState();
  const log = await openEvidenceLog({ ...state, signer, record });
  await log.append(draft({ kind: 'intent', action: 'x' }));
  await log.append(draft({ kind: 'outcome', action: 'x', outcome: 'ok' }));
  await log.append(draft({ kind: 'outcome', action: 'never begun', outcome: 'ok' }));
  await log.close();
  const report = await audit({
    ...{ evidence: state.dir, checkpoints: state.checkpointsDir, record },
    ...{ openings: new Map(), bundleKeys: [] },
  });
  assert.equal(report.rowVerdicts, { reproduced: 1, diverged: 2, undetermined: 0 });
  assert.is(report.divergedCount, 2);
  assert.equal(
    report.diverged.map(({ sequence }) => sequence),
    [0, 2],
  );
  state.remove();
});

test.run();
