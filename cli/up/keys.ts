// The keys of one platform: made at the first start, read at every other.
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { type BundleKeyPair, createBundleKey, readBundleKeys } from '../../runtime/bundle/keys.ts';
import { PlatformError } from '../../runtime/errors.ts';
import { type NoteSigner, seedSigner } from '../../runtime/evidence/note.ts';
import type { ApprovalKey } from '../../services/gateway/gateway.ts';
import { type MasterKeys, openMasterKeyFile } from '../../services/vault/master-keys.ts';

export interface PlatformKeys {
  /** Signs policy and data bundles. */
  bundle: { privateKey: JWK; publicKeys: JWK[] };
  /** Signs the checkpoints of the evidence log. */
  evidence: NoteSigner;
  /** Signs approvals. */
  approvals: ApprovalKey;
  /** 32 bytes under which the identity server keeps its own keys in the database. */
  identity: Uint8Array;
  /** The vault's master keys, in a file that rotation adds to. */
  vault: MasterKeys;
  /** Opens the local page; a new one at every start. */
  pageToken: string;
}

/** Reads the keys in `folder`, making those that are missing. Throws `configuration_invalid`. */
export async function platformKeys(folder: string): Promise<PlatformKeys> {
  try {
    return {
      bundle: await bundleKeys(join(folder, 'bundle.json')),
      evidence: seedSigner(await seedOf(join(folder, 'evidence.seed'))),
      approvals: await approvalKey(join(folder, 'approvals.pem')),
      identity: await seedOf(join(folder, 'identity.key')),
      vault: await openMasterKeyFile(join(folder, 'vault.keys'), { create: true }),
      pageToken: randomBytes(24).toString('base64url'),
    };
  } catch (cause) {
    if (cause instanceof PlatformError && cause.code === 'configuration_invalid') throw cause;
    throw new PlatformError('configuration_invalid', `the keys in ${folder} cannot be read`, {
      cause,
      hint: 'restore them from a backup, or delete the whole state folder to begin anew',
    });
  }
}

async function bundleKeys(path: string): Promise<PlatformKeys['bundle']> {
  if ((await readIfThere(path)) === undefined) {
    const pair: BundleKeyPair = await createBundleKey();
    await writeWhole(`${path}.pub`, JSON.stringify(pair.publicKey), 0o644);
    await writeWhole(path, JSON.stringify(pair.privateKey), 0o600);
  }
  const [privateKey] = await readBundleKeys(path);
  return { privateKey: privateKey as JWK, publicKeys: await readBundleKeys(`${path}.pub`) };
}

async function seedOf(path: string): Promise<Uint8Array> {
  const known = await readIfThere(path);
  const seed = known ?? randomBytes(32);
  if (known === undefined) await writeWhole(path, seed, 0o600);
  if (seed.length === 32) return seed;
  throw new PlatformError('configuration_invalid', `${path} is not a key of 32 bytes`);
}

async function approvalKey(path: string): Promise<ApprovalKey> {
  let text = await readIfThere(path);
  if (text === undefined) {
    const { privateKey } = generateKeyPairSync('ed25519');
    text = Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await writeWhole(path, text, 0o600);
  }
  const privateKey = createPrivateKey(text);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A key is there whole or not at all, also after a power cut. */
async function writeWhole(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const file = await open(`${path}.new`, 'w', mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
}
