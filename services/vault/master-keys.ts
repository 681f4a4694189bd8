// Where master keys come from: the environment, or a file that rotation may add to.
import { randomBytes } from 'node:crypto';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PlatformError } from '../../runtime/errors.ts';
import { type MasterKey, masterKey } from './seal.ts';

/** The master keys that this process holds. */
export interface MasterKeys {
  /** The newest first: rotation goes to it. */
  held(): readonly MasterKey[];
  /** Reads them again, where another process may have added one. */
  reload(): Promise<void>;
  /** Makes a new key and keeps it durably; absent where only the operator can add one. */
  add?(): Promise<MasterKey>;
  /** Forgets a key that wraps nothing any more; absent where only the operator can. */
  drop?(id: string): Promise<void>;
}

/**
 * Keys from the environment: `current`, and during a rotation the `previous` one, each as 32 bytes
 * in base64 or hexadecimal. Throws `configuration_invalid`.
 */
export function masterKeysFromText(current: string, previous?: string): MasterKeys {
  const keys = [current, previous].filter((text) => text !== undefined).map(parseKey);
  return { held: () => keys, reload: async () => {} };
}

/**
 * Keys in a file of one line each, the newest first, that nobody else may read (mode 0600). With
 * `create`, a missing file is made with a fresh key. Throws `configuration_invalid`.
 */
export async function openMasterKeyFile(
  path: string,
  options: { create?: boolean } = {},
): Promise<MasterKeys> {
  if (options.create === true && !(await exists(path))) await writeKeys(path, [randomBytes(32)]);
  let keys = await readKeys(path);
  return {
    held: () => keys,
    async reload() {
      keys = await readKeys(path);
    },
    async add() {
      const before = await readKeys(path);
      const added = masterKey(await prepend(path, before));
      keys = [added, ...before];
      return added;
    },
    async drop(id) {
      const left = (await readKeys(path)).filter((key) => key.id !== id);
      if (left.length > 0) await writeKeys(path, left.map(exported));
      keys = left.length > 0 ? left : keys;
    },
  };
}

async function prepend(path: string, before: readonly MasterKey[]): Promise<Buffer> {
  const bytes = randomBytes(32);
  await writeKeys(path, [Buffer.from(bytes), ...before.map(exported)]);
  return bytes;
}

function exported({ key }: MasterKey): Buffer {
  return key.export();
}

async function readKeys(path: string): Promise<readonly MasterKey[]> {
  let content: Buffer;
  try {
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0) throw unusable(`others may read the master key file ${path}`);
    content = await readFile(path);
  } catch (cause) {
    if (cause instanceof PlatformError) throw cause;
    throw unusable(`the master key file ${path} cannot be read`, cause);
  }
  // A file of exactly 32 bytes is one key as it is; no key in text is that short.
  if (content.length === 32) return [masterKey(content)];
  const lines = content.toString('latin1').split('\n');
  content.fill(0);
  const keys = lines.filter((line) => line.trim() !== '').map(parseKey);
  if (keys.length > 0) return keys;
  throw unusable(`the master key file ${path} holds no key`);
}

/** Durable before it returns: what is wrapped by a key that is lost is lost too. */
async function writeKeys(path: string, keys: readonly Buffer[]): Promise<void> {
  const text = Buffer.from(`${keys.map((key) => key.toString('base64')).join('\n')}\n`);
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
    text.fill(0);
    for (const key of keys) key.fill(0);
  }
  await rename(`${path}.new`, path);
  const folder = await open(dirname(path), 'r');
  await folder.sync().finally(() => folder.close());
}

function parseKey(text: string): MasterKey {
  const trimmed = text.trim();
  const isHex = trimmed.length === 64 && /^[0-9a-fA-F]+$/.test(trimmed);
  const bytes = Buffer.from(trimmed, isHex ? 'hex' : 'base64');
  if (bytes.length === 32 && (isHex || isBase64(trimmed, bytes))) return masterKey(bytes);
  throw unusable('a master key is 32 bytes in base64 or hexadecimal');
}

function isBase64(text: string, bytes: Buffer): boolean {
  const plain = bytes.toString('base64');
  return [plain, plain.replaceAll('=', ''), bytes.toString('base64url')].includes(text);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}

function unusable(message: string, cause?: unknown): PlatformError {
  return new PlatformError('configuration_invalid', message, {
    cause,
    hint: 'make one with: (umask 077; openssl rand -base64 32 > FILE)',
  });
}
