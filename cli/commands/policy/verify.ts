// `platform policy verify`: what a service would find before it used a bundle, said for each bundle.
import pc from 'picocolors';
import { readBundle } from '../../../runtime/bundle/files.ts';
import { readBundleKeys } from '../../../runtime/bundle/keys.ts';
import { loadData, loadPolicy } from '../../../runtime/bundle/load.ts';
import type { BundleFiles } from '../../../runtime/bundle/reader.ts';
import { readJson, SIGNATURES } from '../../../runtime/bundle/revision.ts';
import type { BundleKind } from '../../../runtime/bundle/sign.ts';
import { codeOf, PlatformError } from '../../../runtime/errors.ts';
import type { JsonObject } from '../../../runtime/json.ts';
import type { Command } from '../../command.ts';
import { EXIT_FAILED } from '../../failure.ts';
import { parseOptions, UsageError } from '../../options.ts';
import { bundleKindOf } from '../../policy/bundle/describe.ts';
import { FOLDERS_MAX, print, printJson } from './sources.ts';

const help = `Usage
  platform policy verify BUNDLE... --key FILE

Checks each policy or data bundle, a folder or a .tar.gz, as a service does before it uses one: the
signature by one of the keys over every file, the revision of its files, the digests of the modules
and that they are those of this installation, and the entrypoint of every boundary.

Options
  --key FILE   public JWK or JWK set, such as the FILE.pub that sign --new-key made
  --json       print {ok, bundles: [{path, ok, kind, revision, kid, code, message, hint}]}

Exit codes
  0 all are right; 1 one is not; 2 wrong command line

Examples
  platform policy verify policy.tar.gz --key bundle-key.json.pub
  platform policy verify bundles/policy bundles/data --key bundle-key.json.pub --json`;

interface Finding {
  path: string;
  ok: boolean;
  kind?: BundleKind;
  revision?: string;
  /** The key that the signature names. */
  kid?: string;
  code?: string;
  message?: string;
  hint?: string;
}

/** Says of each bundle whether a service would take it, and if not, why. */
export const verifyVerb: Command = {
  name: 'verify',
  summary: 'check signature, digests and revision of bundles',
  help,
  async run(argv) {
    const { values, positionals } = parseOptions(
      argv,
      { json: { type: 'boolean', default: false }, key: { type: 'string' } },
      FOLDERS_MAX,
    );
    if (positionals.length === 0) throw new UsageError('verify needs a BUNDLE');
    if (values.key === undefined) throw new UsageError('--key is needed');
    const keys = await readBundleKeys(values.key);
    const bundles: Finding[] = [];
    for (const path of positionals) bundles.push(await verify(path, keys));
    const ok = bundles.every((bundle) => bundle.ok);
    if (values.json === true) printJson({ ok, bundles });
    else for (const bundle of bundles) print(describe(bundle));
    return ok ? 0 : EXIT_FAILED;
  },
};

async function verify(
  path: string,
  keys: Awaited<ReturnType<typeof readBundleKeys>>,
): Promise<Finding> {
  const known: Partial<Finding> = {};
  try {
    const files = await readBundle(path);
    const kind = bundleKindOf(files);
    Object.assign(known, { kind, kid: kidOf(files) });
    const { revision } =
      kind === 'policy' ? await loadPolicy(files, keys) : await loadData(files, keys);
    return { path, ok: true, ...known, revision };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const { message, hint } = error;
    return { path, ok: false, ...known, code: codeOf(error), message, hint };
  }
}

/** The key id in the signature's header, not verified; undefined where there is none to read. */
function kidOf(files: BundleFiles): string | undefined {
  if (!files.has(SIGNATURES)) return undefined;
  const { signatures } = readJson(files, SIGNATURES);
  const [jws] = Array.isArray(signatures) ? signatures : [];
  try {
    const [head = ''] = String(jws).split('.');
    const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as JsonObject;
    const { kid } = header;
    // It comes to a terminal unverified.
    return typeof kid === 'string' && /^[\w.:=-]{1,128}$/.test(kid) ? kid : undefined;
  } catch {
    return undefined;
  }
}

function describe({ path, ok, kind, revision, kid, code, message, hint }: Finding): string {
  if (ok) {
    const what = `${kind} bundle, revision ${revision}, signed by ${kid}`;
    return `${pc.green('right')} ${path}: ${what}`;
  }
  const lines = [`${pc.red('wrong')} ${path}: ${message} ${pc.dim(`[${code}]`)}`];
  if (hint !== undefined) lines.push(`  ${pc.cyan('hint:')} ${hint}`);
  return lines.join('\n');
}
