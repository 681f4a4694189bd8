// Keeps the operator's data that is in force, so that a start can go on with it where a change was refused.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../runtime/json.ts';
import type { StateFolder } from '../state-folder.ts';

const NAME = 'operator.json';

/** Remembers it; never half of it. */
export async function keepOperatorData({ bundles }: StateFolder, data: JsonObject): Promise<void> {
  const file = join(bundles, NAME);
  await writeFile(`${file}.new`, JSON.stringify(data), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** What was kept last; nothing where nothing was, which grants nothing. */
export async function keptOperatorData({ bundles }: StateFolder): Promise<JsonObject> {
  const text = await readFile(join(bundles, NAME), 'utf8').catch(() => '{}');
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
