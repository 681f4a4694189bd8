// `platform policy sign`: signs a bundle that was built, and makes the keys that bundles are signed with.
import { existsSync } from 'node:fs';
import pc from 'picocolors';
import { readBundle } from '../../../runtime/bundle/files.ts';
import { createBundleKey, readBundleKeys, writeBundleKey } from '../../../runtime/bundle/keys.ts';
import { signBundle } from '../../../runtime/bundle/sign.ts';
import { writeBundle } from '../../../runtime/bundle/write.ts';
import { BundleError } from '../../../runtime/errors.ts';
import type { Command } from '../../command.ts';
import { parseOptions, UsageError } from '../../options.ts';
import { bundleKindOf, checkRevision } from '../../policy/bundle/describe.ts';
import { print, printJson } from './sources.ts';

const help = `Usage
  platform policy sign BUNDLE --key FILE [--output PATH]
  platform policy sign --new-key FILE

Signs a policy or data bundle, a folder or a .tar.gz, in place or to another path: .signatures.json
with an EdDSA signature over every file's hash, as OPA verifies it. An older signature is replaced.
A bundle whose files are not those of its revision is refused: build it again.

Options
  --key FILE      private JWK (Ed25519)
  --output PATH   where the signed bundle goes: a folder, or a file that ends in .tar.gz
  --new-key FILE  make a key pair: FILE is private (mode 0600), FILE.pub is for those who verify
  --json          print one JSON document

Exit codes
  0 signed, or the key was made; 1 not; 2 wrong command line

Examples
  platform policy sign --new-key bundle-key.json
  platform policy sign policy.tar.gz --key bundle-key.json
  platform policy sign build/policy --key bundle-key.json --output policy.tar.gz --json`;

/** Signs a bundle, or makes a key pair. */
export const signVerb: Command = {
  name: 'sign',
  summary: 'sign a bundle, or make the keys for it',
  help,
  async run(argv) {
    const { values, positionals } = parseOptions(
      argv,
      {
        json: { type: 'boolean', default: false },
        key: { type: 'string' },
        output: { type: 'string' },
        'new-key': { type: 'string' },
      },
      1,
    );
    const { key, output, 'new-key': newKey } = values;
    const json = values.json === true;
    const [path] = positionals;
    if (newKey !== undefined) {
      if (path !== undefined || key !== undefined || output !== undefined) {
        throw new UsageError('--new-key stands alone');
      }
      return makeKey(newKey, json);
    }
    if (path === undefined) throw new UsageError('sign needs a BUNDLE');
    if (key === undefined) throw new UsageError('--key is needed');
    return sign(path, key, output ?? path, json);
  },
};

async function makeKey(path: string, json: boolean): Promise<number> {
  for (const file of [path, `${path}.pub`]) {
    if (!existsSync(file)) continue;
    throw new BundleError('bundle_signature_invalid', `there is a file ${file} already`, {
      hint: 'what an older key signed could no longer be verified: choose another name',
    });
  }
  const pair = await createBundleKey();
  await writeBundleKey(path, pair);
  const { kid } = pair.publicKey;
  if (json) printJson({ ok: true, private: path, public: `${path}.pub`, kid });
  else print(`${pc.green('made')} ${path} and ${path}.pub, key id ${kid}`);
  return 0;
}

async function sign(path: string, keyFile: string, output: string, json: boolean): Promise<number> {
  const [key] = await readBundleKeys(keyFile);
  if (key?.d === undefined) {
    throw new BundleError('bundle_signature_invalid', `${keyFile} holds no private key`, {
      hint: 'make a pair with platform policy sign --new-key FILE',
    });
  }
  const files = await readBundle(path);
  const kind = bundleKindOf(files);
  const revision = checkRevision(files);
  await signBundle(files, kind, key);
  await writeBundle(files, output);
  if (json) printJson({ ok: true, kind, revision, output, kid: key.kid });
  else print(`${pc.green('signed')} ${output}: ${kind} bundle, revision ${revision}`);
  return 0;
}
