// `platform audit openings`: takes openings out of the encrypted store, or erases them.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EvidenceError } from '../../../runtime/errors.ts';
import {
  exportOpenings,
  type Openings,
  OpeningsStore,
} from '../../../runtime/evidence/openings.ts';
import type { StateFolder } from '../../state-folder.ts';

/** The store of openings of a state folder; its keys lie with the platform's other keys. */
function openingsStore(state: StateFolder): OpeningsStore {
  return new OpeningsStore({ dir: state.openings, keysDir: join(state.keys, 'openings') });
}

/** All stored openings that can be decrypted; warns of the others on standard error. */
export function readStoredOpenings(state: StateFolder): Promise<Openings> {
  return openingsStore(state).read((day, openings) => {
    process.stderr.write(`${openings} openings of ${day} cannot be decrypted: their key is lost\n`);
  });
}

/** Writes every opening that is left to a new file, in clear, readable by its owner only. */
export async function exportStoredOpenings(state: StateFolder, path: string): Promise<number> {
  const openings = await readStoredOpenings(state);
  try {
    // A file that exists may be readable by others, or be a link to somewhere else.
    await writeFile(path, exportOpenings(openings), { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    throw new EvidenceError('state_unwritable', `${path} cannot be created`, {
      cause,
      hint: 'Name a file that does not exist, in a folder that you may write.',
    });
  }
  process.stdout.write(`${openings.size} openings in ${path}; they are secrets in clear\n`);
  return 0;
}

/** Erases the openings of the days before `before`, or all. */
export async function eraseOpenings(
  state: StateFolder,
  before: string | undefined,
): Promise<number> {
  const days = await openingsStore(state).erase(before);
  process.stdout.write(
    days.length === 0 ? 'nothing to erase\n' : `erased the openings of ${days.join(', ')}\n`,
  );
  return 0;
}
