// Reads the JSON files that commands are given.
import { readFile } from 'node:fs/promises';
import { InputError } from '../../../runtime/errors.ts';
import type { JsonValue } from '../../../runtime/json.ts';

/**
 * The value in a file, or on standard input when `path` is `-`.
 * @throws InputError `input_invalid` or `input_not_json`
 */
export async function readJson(path: string): Promise<JsonValue> {
  let text: string;
  try {
    text = await readFile(path === '-' ? '/dev/stdin' : path, 'utf8');
  } catch (cause) {
    throw new InputError('input_invalid', `cannot read ${path}`, { cause });
  }
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new InputError('input_not_json', `${path} is not JSON: ${(cause as Error).message}`);
  }
}
