// `platform policy build`: compiles policies to a signed policy bundle, a folder or a .tar.gz.
import pc from 'picocolors';
import { buildPolicyBundle } from '../../../runtime/bundle/build.ts';
import { compilePolicies } from '../../../runtime/bundle/compile.ts';
import { readBundleKeys } from '../../../runtime/bundle/keys.ts';
import { signBundle } from '../../../runtime/bundle/sign.ts';
import { writeBundle } from '../../../runtime/bundle/write.ts';
import type { Command } from '../../command.ts';
import { parseOptions, UsageError } from '../../options.ts';
import { reportPolicyError } from './findings.ts';
import { FOLDERS_HELP, FOLDERS_MAX, policyFolders, print, printJson } from './sources.ts';

const help = `Usage
  platform policy build [FOLDER...] --output PATH [--key FILE] [options]

Compiles policies to a policy bundle: the sources, the decision module in our form and in OPA's, the
proxy's filter and the digests of every module. Equal policies give equal bytes, and any OPA can load it.

${FOLDERS_HELP}

Options
  --output PATH    a folder, or a file that ends in .tar.gz
  --key FILE       private JWK (Ed25519) that signs the bundle; without it services refuse it
  --json           print {ok, revision, output, signed, files, compiled, unsupported}, or
                   {ok, errors}; what our compiler does not take is run in OPA's form

Exit codes
  0 built; 1 the policies are wrong; 2 wrong command line

Examples
  platform policy build my-policies --output policy.tar.gz --key bundle-key.json
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
      },
      FOLDERS_MAX,
    );
    const { output, key } = values;
    if (output === undefined) throw new UsageError('--output is needed');
    if (/\.(zip|tar|tgz|gz)$/.test(output) && !output.endsWith('.tar.gz')) {
      throw new UsageError('an archive is a .tar.gz; any other --output is a folder');
    }
    return build({ folders: positionals, json: values.json === true, output, key });
  },
};

interface BuildFlags {
  folders: string[];
  json: boolean;
  output: string;
  key?: string;
}

async function build(flags: BuildFlags): Promise<number> {
  let policies: Awaited<ReturnType<typeof compilePolicies>>;
  try {
    policies = await compilePolicies(policyFolders(flags.folders));
  } catch (error) {
    return reportPolicyError(error, flags.json);
  }
  const { revision, files } = buildPolicyBundle(policies);
  const [key] = flags.key === undefined ? [] : await readBundleKeys(flags.key);
  if (key !== undefined) await signBundle(files, 'policy', key);
  await writeBundle(files, flags.output);
  const signed = key !== undefined;
  const names = [...files.keys()].sort();
  const { unsupported } = policies;
  if (flags.json) {
    const built = { revision, output: flags.output, signed, files: names };
    printJson({ ok: true, ...built, compiled: policies.decisions !== undefined, unsupported });
  } else {
    print(`${pc.green('built')} ${flags.output}: ${names.length} files, revision ${revision}`);
    if (policies.decisions === undefined) {
      print(`${pc.yellow('not compiled')}: hosts run OPA's module, and proxies get no filter, for`);
      for (const what of unsupported) print(`  ${what}`);
    }
    if (!signed) print(`${pc.yellow('not signed')}: services refuse it; sign it with --key`);
  }
  return 0;
}
