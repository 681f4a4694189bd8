import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DatabaseError } from '../errors.ts';
import { type IndexStore, MemoryIndex } from './index-store.ts';
import { memoryEvidenceLog } from './memory.ts';
import { draft, record } from './testing/drafts.ts';

test('an index that fails now and then gets every row once, in order', async () => {
  const index = new MemoryIndex();
  let calls = 0;
  const flaky: IndexStore = {
    head: (log) => index.head(log),
    clear: (log) => index.clear(log),
    async add(rows, checkpoint) {
      if (calls++ % 3 !== 2) throw new DatabaseError('database_unavailable', 'away');
      await index.add(rows, checkpoint);
    },
  };
  const { log } = await memoryEvidenceLog(record, { index: flaky, retryMs: 1 });
  for (let row = 0; row < 30; row++) {
    await log.append(draft());
    if (row % 7 === 0) await log.flushIndex();
  }
  for (let attempt = 0; attempt < 10; attempt++) await log.flushIndex();
  const sequences = index.rows(log.status().log).map(({ sequence }) => sequence);
  assert.equal(
    sequences,
    Array.from({ length: 30 }, (_, at) => at),
  );
  await log.close();
});

test.run();
