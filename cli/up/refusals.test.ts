// The evidence of refusals is written, and bounded for each caller.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf, PlatformError } from '../../runtime/errors.ts';
import type { EvidenceDraft } from '../../runtime/evidence/row.ts';
import { recordRefusal } from './refusals.ts';

const drafts: EvidenceDraft[] = [];
const evidence = {
  append: async (draft: EvidenceDraft) => {
    drafts.push(draft);
    return draft as never;
  },
};
const refusal = (spiffeId: string) => ({
  ...{ error: new PlatformError('route_unknown', 'no such path'), requestId: 'r', method: 'GET' },
  ...{ time: '2026-11-21T09:00:00.000Z', spiffeId },
});

test('a caller that is refused all the time fills no disk, and leaves others their rows', async () => {
  const greedy = 'spiffe://platform.local/agent/acme/greedy/main';
  const codes = new Set<string>();
  for (let index = 0; index < 2000; index += 1) {
    await recordRefusal(evidence, {}, refusal(greedy)).catch((error) => codes.add(codeOf(error)));
  }
  assert.ok(drafts.length >= 100 && drafts.length < 1000, String(drafts.length));
  assert.equal(
    [...codes],
    ['evidence_unavailable'],
    'what is not on record is not answered as refused',
  );
  const before = drafts.length;
  await recordRefusal(evidence, { proxy: 'acme/other' }, refusal(`${greedy}-other`));
  assert.is(drafts.length, before + 1);
  assert.equal(drafts.at(-1)?.reason, { code: 'route_unknown', message: 'no such path' });
});

test.run();
