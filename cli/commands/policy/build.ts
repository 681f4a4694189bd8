// `platform policy build`: compiles policies to a signed policy bundle, a folder or a .tar.gz.
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pc from 'picocolors';
import { buildPolicyBundle, FILTER_MODULE } from '../../../runtime/bundle/build.ts';
import { type CompiledPolicies, compilePolicies } from '../../../runtime/bundle/compile.ts';
import { readBundleKeys } from '../../../runtime/bundle/keys.ts';
import { signBundle } from '../../../runtime/bundle/sign.ts';
import { writeBundle } from '../../../runtime/bundle/write.ts';
import { BundleError } from '../../../runtime/errors.ts';
import { moduleDigest } from '../../../runtime/modules/source.ts';
import type { Command } from '../../command.ts';
import { parseOptions, UsageError } from '../../options.ts';
import { reportPolicyError } from './findings.ts';
import { FOLDERS_HELP, FOLDERS_MAX, policyFolders, print, printJson } from './sources.ts';

const help = `Usage
  platform policy build [FOLDER...] --output PATH [--key FILE] [--filter PATH] [options]

Compiles policies to a policy bundle: the sources, the decision module in our form and in OPA's, the
proxy's filter and the digests of every module. Equal policies give equal bytes, and any OPA can load it.

${FOLDERS_HELP}

Options
  --output PATH    a folder, or a file that ends in .tar.gz
  --key FILE       private JWK (Ed25519) that signs the bundle; without it services refuse it
  --filter PATH    write the proxy's filter there as well: a file that ends in .wasm, or a folder
                   that gets filter.wasm; platform policy envoy writes it with its configuration
  --json           print {ok, revision, output, signed, files, compiled, unsupported, filter?}, or
                   {ok, errors}; what our compiler does not take is run in OPA's form

Exit codes
  0 built; 1 the policies are wrong, or no filter can be made of them; 2 wrong command line

Examples
  platform policy build my-policies --output policy.tar.gz --key bundle-key.json
  platform policy build --output policy.tar.gz --key bundle-key.json --filter /etc/envoy/mesh.wasm
  platform policy build --output build/bundle --json`;

/** Compiles policies to a bundle, signed when there is a key. */
export const buildVerb: Command = {
  name: 'build',
  summary: 'compile to a (signed) bundle',
  help,
  async run(argv) {
    const { values, positionals } = parseOptions(
      argv,
      {
        json: { type: 'boolean', default: false },
        output: { type: 'string' },
        key: { type: 'string' },
        filter: { type: 'string' },
      },
      FOLDERS_MAX,
    );
    const { output, key } = values;
    if (output === undefined) throw new UsageError('--output is needed');
    if (/\.(zip|tar|tgz|gz)$/.test(output) && !output.endsWith('.tar.gz')) {
      throw new UsageError('an archive is a .tar.gz; any other --output is a folder');
    }
    const { filter } = values;
    return build({ folders: positionals, json: values.json === true, output, key, filter });
  },
};

interface BuildFlags {
  folders: string[];
  json: boolean;
  output: string;
  key?: string;
  filter?: string;
}

async function build(flags: BuildFlags): Promise<number> {
  let policies: Awaited<ReturnType<typeof compilePolicies>>;
  try {
    policies = await compilePolicies(policyFolders(flags.folders));
    if (flags.filter !== undefined) filterOf(policies);
  } catch (error) {
    return reportPolicyError(error, flags.json);
  }
  const { revision, files } = buildPolicyBundle(policies);
  const [key] = flags.key === undefined ? [] : await readBundleKeys(flags.key);
  if (key !== undefined) await signBundle(files, 'policy', key);
  await writeBundle(files, flags.output);
  const filter =
    flags.filter === undefined ? undefined : await writeFilter(filterOf(policies), flags.filter);
  const signed = key !== undefined;
  const names = [...files.keys()].sort();
  const { unsupported } = policies;
  if (flags.json) {
    const built = { revision, output: flags.output, signed, files: names };
    const compiled = policies.decisions !== undefined;
    printJson({ ok: true, ...built, compiled, unsupported, ...(filter && { filter }) });
  } else {
    print(`${pc.green('built')} ${flags.output}: ${names.length} files, revision ${revision}`);
    if (filter !== undefined) print(`${pc.green('filter')} ${filter.path}: ${filter.digest}`);
    if (policies.decisions === undefined) {
      print(`${pc.yellow('not compiled')}: hosts run OPA's module, and proxies get no filter, for`);
      for (const what of unsupported) print(`  ${what}`);
    }
    if (!signed) print(`${pc.yellow('not signed')}: services refuse it; sign it with --key`);
  }
  return 0;
}

function filterOf({ filter, unsupported }: CompiledPolicies): Uint8Array {
  if (filter !== undefined) return filter;
  throw new BundleError('policy_invalid', 'no filter can be made of these policies', {
    hint: unsupported[0] ?? 'a policy for the boundary mesh decides in proxies',
  });
}

/** Writes it whole under its name, since a proxy may be reading. */
async function writeFilter(
  bytes: Uint8Array,
  target: string,
): Promise<{ path: string; digest: string }> {
  const path = target.endsWith('.wasm') ? target : join(target, FILTER_MODULE);
  const temporary = `${path}.${process.pid}.new`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(temporary, bytes);
  await rename(temporary, path);
  return { path, digest: moduleDigest(bytes) };
}
