// The bearer token that callers must send, from a file.
import { readFile } from 'node:fs/promises';
import { PlatformError } from '../../runtime/errors.ts';

const TOKEN_BYTES_MIN = 16;

/** The token in a file, without its final newline; throws `configuration_invalid` for a short one. */
export async function readToken(path: string): Promise<string> {
  let token: string;
  try {
    token = (await readFile(path, 'utf8')).trim();
  } catch (cause) {
    throw new PlatformError('configuration_invalid', `cannot read ${path}`, { cause });
  }
  if (Buffer.byteLength(token) >= TOKEN_BYTES_MIN && !/\s/.test(token)) return token;
  throw new PlatformError('configuration_invalid', `${path} holds no token of 16 bytes or more`);
}
