// The evidence log of one machine: its segment, its index in the embedded database, its openings.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUILT_MODULES } from '../../runtime/decide/local.ts';
import { DatabaseIndex } from '../../runtime/evidence/database-index.ts';
import type { EvidenceLog } from '../../runtime/evidence/log.ts';
import { openEvidenceLog, type SegmentLog } from '../../runtime/evidence/log.ts';
import { formatNoteKey } from '../../runtime/evidence/note.ts';
import { OpeningsStore } from '../../runtime/evidence/openings.ts';
import { decodeRow } from '../../runtime/evidence/row.ts';
import type { Record as RecordModule } from '../../runtime/modules/record.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';
import { openPglite } from '../../services/common/database/pglite.ts';
import type { Database } from '../../services/common/database/port.ts';
import type { CallFeed } from '../../services/console/calls.ts';
import type { StateFolder } from '../state-folder.ts';
import type { PlatformKeys } from './keys.ts';

/** How many of the rows of earlier runs the call feed begins with. */
const rowsShown = 500;

export interface MachineEvidence {
  log: SegmentLog;
  /** The log, with every committed row told to the feed. */
  observed: EvidenceLog;
  /** The embedded database, opened at its first use. */
  database: LazyDatabase;
  close(): Promise<void>;
}

/** Opens and recovers the log; the database is opened in its own time, the log does not wait for it. */
export async function openMachineEvidence(
  state: StateFolder,
  keys: PlatformKeys,
  record: RecordModule,
  feed: CallFeed,
  onTrouble: (error: unknown) => void,
): Promise<MachineEvidence> {
  const database = lazyDatabase(state.database);
  const openings = new OpeningsStore({
    dir: state.openings,
    keysDir: join(state.keys, 'openings'),
  });
  const log = await openEvidenceLog({
    dir: state.evidence,
    checkpointsDir: state.checkpoints,
    signer: keys.evidence,
    record,
    index: new DatabaseIndex(database),
    openings,
    onTrouble,
  });
  const { origin, size } = log.status();
  const key = formatNoteKey({ name: origin, publicKey: keys.evidence.publicKey });
  await writeFile(join(state.keys, 'evidence.pub'), `${key}\n`);
  for (const name of BUILT_MODULES) await log.putObject(moduleBytes(name));
  for await (const row of log.rows(Math.max(0, size - rowsShown)))
    feed.accept(decodeRow(row.bytes));
  return {
    log,
    database,
    observed: {
      async append(draft) {
        const row = await log.append(draft);
        feed.accept(decodeRow(row.bytes));
        return row;
      },
      putObject: (bytes) => log.putObject(bytes),
      close: () => log.close(),
    },
    async close() {
      await log.close();
      await openings.close();
      await database.close();
    },
  };
}

type LazyDatabase = Pick<Database, 'query' | 'script' | 'transaction' | 'close'>;

/** Opens the database when it is first asked for something; a failed opening is tried again. */
function lazyDatabase(folder: string): LazyDatabase {
  let opening: Promise<Database> | undefined;
  const database = (): Promise<Database> => {
    opening ??= openPglite({ folder }).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    query: async (text, values) => (await database()).query(text, values),
    script: async (text) => (await database()).script(text),
    transaction: async (work) => (await database()).transaction(work),
    async close() {
      const open = await opening?.catch(() => undefined);
      await open?.close();
    },
  };
}
