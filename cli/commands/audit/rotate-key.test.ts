// A platform's log under a new key: the audit goes on from the old one to it.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { audit } from '../../../runtime/evidence/audit/audit.ts';
import { openEvidenceLog } from '../../../runtime/evidence/log.ts';
import { parseNoteKey, seedSigner } from '../../../runtime/evidence/note.ts';
import { record } from '../../../runtime/evidence/testing/drafts.ts';
import { decideTool, draftOf, place } from '../../../runtime/evidence/testing/place.ts';
import { stateFolder } from '../../state-folder.ts';
import { rotateKey } from './rotate-key.ts';

test('after rotate-key the platform writes with the new key, and old and new auditors verify all', async () => {
  const at = await place('rotated');
  await at.log.append(draftOf(decideTool({ to: 'a' })));
  const { log } = at.log.status();
  await at.close();
  const seed = join(at.root, 'keys/evidence.seed');
  mkdirSync(join(at.root, 'keys'), { recursive: true });
  writeFileSync(seed, new Uint8Array(32).fill(7));
  const oldKey = parseNoteKey(readFileSync(join(at.checkpoints, `${log}.key`), 'utf8').trim());

  assert.is(await rotateKey(stateFolder(at.root), true), 0);
  assert.equal(readdirSync(join(at.root, 'keys')).includes('evidence.seed.next'), false);
  const signer = seedSigner(readFileSync(seed));
  const again = await openEvidenceLog({
    ...{ dir: at.evidence, checkpointsDir: at.checkpoints, signer, record },
  });
  await again.append(draftOf(decideTool({ to: 'b' })));
  await again.close();

  const newKey = parseNoteKey(readFileSync(join(at.checkpoints, `${log}.key`), 'utf8').trim());
  assert.not.equal(newKey, oldKey);
  const { evidence, checkpoints, bundleKeys } = at;
  for (const key of [undefined, oldKey, newKey]) {
    const options = { evidence, checkpoints, bundleKeys, record, openings: new Map(), key };
    const report = await audit(options);
    assert.is(report.tampered, undefined);
    // With the outcome that the second start gave the first intent.
    assert.is(report.rowVerdicts.reproduced, 3);
  }
});

test.run();
