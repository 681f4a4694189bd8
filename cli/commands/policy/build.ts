// `platform policy build`: compiles policies to a signed policy bundle, a folder or a .tar.gz.
import pc from 'picocolors';
import { buildPolicyBundle } from '../../../runtime/bundle/build.ts';
import { compilePolicies } from '../../../runtime/bundle/compile.ts';
import { readBundleKeys } from '../../../runtime/bundle/keys.ts';
import { signBundle } from '../../../runtime/bundle/sign.ts';
import { writeBundle } from '../../../runtime/bundle/write.ts';
import { BundleError } from '../../../runtime/errors.ts';
import type { RegoFinding } from '../../../runtime/modules/rego.ts';
import { EXIT_FAILED } from '../../failure.ts';
import { describeFindings } from './findings.ts';
import { policyFolders, print, printJson } from './sources.ts';

export interface BuildFlags {
  folders: string[];
  json: boolean;
  /** Where the bundle goes; an archive when it ends in `.tar.gz`. */
  output: string;
  /** File with the private JWK; without it the bundle is not signed. */
  key?: string;
}

/** Returns 0 when the bundle is written; with `json` prints `{ok, revision, output, signed, files}`. */
export async function build(flags: BuildFlags): Promise<number> {
  let policies: Awaited<ReturnType<typeof compilePolicies>>;
  try {
    policies = await compilePolicies(policyFolders(flags.folders));
  } catch (error) {
    const errors = error instanceof BundleError ? error.data.errors : undefined;
    if (!Array.isArray(errors)) throw error;
    if (flags.json) printJson({ ok: false, errors });
    else print(describeFindings(errors as RegoFinding[]));
    return EXIT_FAILED;
  }
  const { revision, files } = buildPolicyBundle(policies);
  const [key] = flags.key === undefined ? [] : await readBundleKeys(flags.key);
  if (key !== undefined) await signBundle(files, 'policy', key);
  await writeBundle(files, flags.output);
  const signed = key !== undefined;
  const names = [...files.keys()].sort();
  if (flags.json) printJson({ ok: true, revision, output: flags.output, signed, files: names });
  else {
    print(`${pc.green('built')} ${flags.output}: ${names.length} files, revision ${revision}`);
    if (!signed) print(`${pc.yellow('not signed')}: services refuse it; sign it with --key`);
  }
  return 0;
}
