// `platform audit export`: one file with everything that an auditor needs, whole or some rows of it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ExportSummary, exportEvidence } from '../../../runtime/evidence/export/export.ts';
import type { Selection } from '../../../runtime/evidence/export/manifest.ts';
import { type NoteSigner, seedSigner } from '../../../runtime/evidence/note.ts';
import { Record } from '../../../runtime/modules/record.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import type { StateFolder } from '../../state-folder.ts';
import { readStoredOpenings } from './openings.ts';
import { progress } from './progress.ts';

export interface ExportChoices {
  out: string;
  /** Only these rows; undefined for the whole log. */
  selection: Selection | undefined;
  withBundles: boolean;
  withOpenings: boolean;
  asJson: boolean;
}

/** Writes the file and says what is in it and what is not. */
export async function exportLog(state: StateFolder, choices: ExportChoices): Promise<number> {
  const { out, selection, withBundles, withOpenings, asJson } = choices;
  const shown = progress(!asJson);
  const { manifest, bytes } = await exportEvidence({
    ...{ evidence: state.evidence, checkpoints: state.checkpoints, out, selection, withBundles },
    record: Record.create(moduleBytes('record')),
    time: new Date(),
    bundleKeys: await fileIfThere(join(state.keys, 'bundle.json.pub')),
    signer: await signerOf(state),
    openings: withOpenings ? await readStoredOpenings(state) : undefined,
    onProgress: (done, all) => shown.say(`${Math.floor((done / all) * 100)} % of the log read …`),
  });
  shown.end();
  const { files, ...rest } = manifest;
  if (asJson) process.stdout.write(`${JSON.stringify({ out, bytes, ...rest })}\n`);
  else process.stdout.write(`${summary(out, { manifest, bytes })}\n`);
  return 0;
}

function summary(out: string, { manifest, bytes }: ExportSummary): string {
  const { content, rows, size, bundles, openings, files } = manifest;
  const rowsText =
    content === 'log' ? `all ${rows} rows` : `${rows} of ${size} rows, each with its proof`;
  const lines = [`${out}: ${rowsText}, ${files.length} entries, ${bytes} bytes`];
  if (!bundles) {
    lines.push(
      'without bundles, which hold the rules and data of all agents: the decisions cannot be',
      'executed again with this file alone (--with-bundles takes them along)',
    );
  } else if (content === 'selection') {
    lines.push(
      'with bundles, which hold the rules and data of all agents, not only of those chosen',
    );
  }
  if (openings) lines.push('with openings: secrets and prompts are in it in clear');
  return lines.join('\n');
}

/** The log's key, where it is here: a copy of the state without keys is exported unsigned. */
async function signerOf(state: StateFolder): Promise<NoteSigner | undefined> {
  const seed = await fileIfThere(join(state.keys, 'evidence.seed'));
  return seed?.byteLength === 32 ? seedSigner(seed) : undefined;
}

async function fileIfThere(path: string): Promise<Uint8Array | undefined> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'EACCES') return undefined;
    throw error;
  });
}
