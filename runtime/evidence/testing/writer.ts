// A process that writes evidence until it is killed, and says on standard output what was acknowledged.
import { writeSync } from 'node:fs';
import { openEvidenceLog } from '../log.ts';
import { draft, record, signer } from './drafts.ts';

const [dir, checkpointsDir] = process.argv.slice(2);
const log = await openEvidenceLog({ dir: dir!, checkpointsDir: checkpointsDir!, signer, record });
const say = (line: string) => writeSync(1, `${line}\n`);
say('open');

/** One action after the other: an intent, and once that is durable, its outcome. */
async function act(worker: number): Promise<void> {
  for (let step = 0; ; step++) {
    const action = `${process.pid}-${worker}-${step}`;
    const intent = await log.append(draft({ kind: 'intent', action }));
    say(`intent ${intent.sequence} ${intent.leaf} ${action}`);
    const outcome = await log.append(draft({ kind: 'outcome', action, outcome: 'ok' }));
    say(`outcome ${outcome.sequence} ${outcome.leaf} ${action}`);
  }
}

await Promise.all(Array.from({ length: 8 }, (_, worker) => act(worker)));
