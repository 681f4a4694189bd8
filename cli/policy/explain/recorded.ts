// Explains a decision that stands in the evidence of a state folder.
import { readFile } from 'node:fs/promises';
import { EvidenceError } from '../../../runtime/errors.ts';
import { openObjects } from '../../../runtime/evidence/objects.ts';
import { decodeRow, type RowDecision } from '../../../runtime/evidence/row.ts';
import {
  type Explanation,
  explainDecision,
  explainWithoutRules,
} from '../../../runtime/explain/explanation.ts';
import { recordedRequest } from '../../../runtime/explain/recorded.ts';
import type { JsonObject } from '../../../runtime/json.ts';
import { RegoCompiler } from '../../../runtime/modules/rego.ts';
import { readStoredOpenings } from '../../commands/audit/openings.ts';
import { readGroups } from '../../commands/audit/rows.ts';
import type { StateFolder } from '../../state-folder.ts';

const idFewest = 8;
const capabilities = new URL('../../../policies/capabilities.json', import.meta.url);

/**
 * Explains the decision whose id begins with `id`, by the bundles of its revisions and with the stored
 * openings that can be decrypted.
 * @throws EvidenceError `object_missing` where no row has the decision, or its bundles are not kept
 */
export async function explainRecorded(state: StateFolder, id: string): Promise<Explanation> {
  const decision = await findDecision(state, id);
  const { boundary, module, output } = decision;
  if (module !== 'authorization') return explainWithoutRules(boundary, module, output);
  const request = await recordedRequest(decision, {
    objects: openObjects(state.evidence),
    openings: await readStoredOpenings(state),
    capabilities: JSON.parse(await readFile(capabilities, 'utf8')) as JsonObject,
  });
  return explainDecision(await RegoCompiler.load(), request);
}

/** The last row that has the decision, in what checkpoints cover. */
async function findDecision(state: StateFolder, id: string): Promise<RowDecision> {
  if (!/^[0-9a-f]*$/.test(id) || id.length < idFewest || id.length > 64) {
    throw new EvidenceError('object_missing', `a decision id has ${idFewest} to 64 hex digits`, {
      hint: 'platform audit --show lists the decisions of the last rows.',
    });
  }
  let found: RowDecision | undefined;
  const wanted = Buffer.from(`"id":"${id}`);
  for await (const { rows } of readGroups(state)) {
    for (const bytes of rows) {
      if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(wanted)) continue;
      found = decodeRow(bytes).decisions.find((each) => each.id.startsWith(id)) ?? found;
    }
  }
  if (found !== undefined) return found;
  throw new EvidenceError('object_missing', `no row in ${state.evidence} has the decision ${id}`, {
    hint: 'Name the state folder of the platform that decided with --state.',
  });
}
