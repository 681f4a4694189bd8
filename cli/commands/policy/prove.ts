// `platform policy prove`: whether a sentence holds for every input that can be.
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pc from 'picocolors';
import { readBundle } from '../../../runtime/bundle/files.ts';
import { writeBundle } from '../../../runtime/bundle/write.ts';
import { InputError } from '../../../runtime/errors.ts';
import { printable } from '../../../runtime/explain/printable.ts';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { RegoCompiler } from '../../../runtime/modules/rego.ts';
import type { Command } from '../../command.ts';
import { EXIT_FAILED, EXIT_USAGE, reportFailure } from '../../failure.ts';
import { parseOptions, UsageError } from '../../options.ts';
import { checkCertificate } from '../../policy/certificate/check.ts';
import { certificateOf, expressionsOf } from '../../policy/prove/certificate.ts';
import { describe } from '../../policy/prove/describe.ts';
import { load } from '../../policy/prove/load.ts';
import { FORMS, noteOf, readProperty, SentenceError } from '../../policy/prove/property.ts';
import { prove } from '../../policy/prove/prove.ts';
import { FOLDERS_HELP, FOLDERS_MAX, isBundle, policySources, print, printJson } from './sources.ts';

const help = `Usage
  platform policy prove 'SENTENCE' [FOLDER|BUNDLE...] [--data FILE] [options]
  platform policy prove --check CERTIFICATE --bundle FOLDER [--json]

Answers for all inputs, listed agents or not: proved, refuted with an input that the compiled module
allows, or unknown with the expressions that stop it.

Sentences
  ${FORMS.join('\n  ')}
BOUNDARY is tool, message or secret where it is not said. An agent is a SPIFFE ID, TENANT/AGENT, or the
name of an agent that one tenant alone has. What is claimed and what not: docs/policy-prove.md

${FOLDERS_HELP}
A folder that holds policy and data, bundles both, is taken for both.

Options
  --data FILE             the data.json, or data bundle, to decide with
  --certificate FILE      where a proof's certificate goes, to be checked by prove --check
  --bundle-out FOLDER     where the bundles go that the certificate names: FOLDER/policy, FOLDER/data
  --check CERTIFICATE     check a certificate again, offline, by a program that shares nothing with the
                          prover
  --bundle FOLDER         with --check: the bundles, FOLDER/policy and FOLDER/data
  --counterexample FILE   where the refuting input goes; a second one beside it, as FILE-2.json
  --json                  print {verdict, property, bundle, …}

Exit codes
  0 proved, or the certificate holds
  1 refuted, unknown, or the certificate is refused
  2 wrong command line: a sentence that is not understood, a name that nothing knows, an option

Examples
  platform policy prove 'no identity outside tenant acme reaches service payments' --data data.json
  platform policy prove 'agents acme/buyer and acme/payer share no service' my-policies --data data.json
  platform policy prove 'every allow of mesh carries control NIST:AC-3' --certificate proof.json \\
    --bundle-out evidence
  platform policy prove --check proof.json --bundle evidence`;

/** Proves a sentence about a policy, refutes it, or says what stops it. */
export const proveVerb: Command = {
  name: 'prove',
  summary: 'whether a sentence holds for every input, with a certificate',
  help,
  async run(argv) {
    const { values, positionals } = parseOptions(
      argv,
      {
        json: { type: 'boolean', default: false },
        data: { type: 'string' },
        certificate: { type: 'string' },
        'bundle-out': { type: 'string' },
        counterexample: { type: 'string' },
        check: { type: 'string' },
        bundle: { type: 'string' },
      },
      FOLDERS_MAX + 1,
    );
    const json = values.json === true;
    if (values.check !== undefined || values.bundle !== undefined) {
      const { check: certificate, bundle: folder } = values;
      if (certificate === undefined || folder === undefined || positionals.length > 0) {
        throw new UsageError(
          '--check CERTIFICATE and --bundle FOLDER go together, without a sentence',
        );
      }
      return checkAgain(certificate, folder, json);
    }
    const [sentence, ...folders] = positionals;
    if (sentence === undefined) throw new UsageError('a sentence is needed');
    return understood({
      sentence,
      folders,
      json,
      data: values.data,
      certificate: values.certificate,
      bundleOut: values['bundle-out'],
      counterexample: values.counterexample,
    });
  },
};

interface Flags {
  sentence: string;
  folders: string[];
  json: boolean;
  data?: string;
  certificate?: string;
  bundleOut?: string;
  counterexample?: string;
}

/** A sentence that cannot be asked is a wrong command line, unlike one that does not hold. */
async function understood(flags: Flags): Promise<number> {
  try {
    return await run(flags);
  } catch (error) {
    if (!(error instanceof SentenceError)) throw error;
    reportFailure(error, 'policy prove', flags.json);
    return EXIT_USAGE;
  }
}

async function run(flags: Flags): Promise<number> {
  const property = readProperty(flags.sentence);
  const { folders, data } = unpair(flags.folders, flags.data);
  const bundle = folders.length === 1 && isBundle(folders[0]!) ? folders[0] : undefined;
  const started = performance.now();
  const loaded = await load({ sources: await policySources(folders), bundle, data });
  const { subject, schemas, mentioned, policy } = loaded;
  const begun = performance.now();
  const proof = prove({
    property,
    subject,
    ask: loaded.askAt(property.boundary),
    schema: schemas[property.boundary],
    mentioned,
    progress: flags.json || !process.stderr.isTTY ? undefined : showProgress,
  });
  const times = {
    load_ms: Math.round(begun - started),
    prove_ms: Math.round(performance.now() - begun),
  };
  const note = noteOf(property);
  const report: Report = {
    verdict: proof.verdict,
    property: property as unknown as JsonObject,
    bundle: { policy: policy.revision, data: loaded.data.revision },
    ...(note === undefined ? {} : { note }),
    evaluations: proof.evaluations,
    ...times,
  };
  if (flags.bundleOut !== undefined) {
    await writeBundle(policy.files, join(flags.bundleOut, 'policy'));
    await writeBundle(loaded.data.files, join(flags.bundleOut, 'data'));
  }
  const stops = proof.verdict === 'refuted' ? [] : expressionsOf(proof.stops, loaded);
  if (proof.verdict === 'proved' && proof.cases !== undefined) {
    const certificate = certificateOf(property, proof, loaded);
    report.cases = proof.cases.length;
    if (flags.certificate !== undefined) {
      await writeFile(flags.certificate, `${JSON.stringify(certificate, null, 1)}\n`);
      report.certificate = flags.certificate;
    } else if (flags.json) report.certificate = certificate;
  }
  if (proof.verdict === 'proved' && proof.assumed !== undefined) report.assumed = proof.assumed;
  if (proof.verdict === 'refuted') report.counterexample = await keep(proof.inputs, flags);
  if (proof.verdict !== 'refuted') report.not_interpreted = stops as unknown as JsonValue;
  if (proof.verdict === 'unknown') report.open = proof.open.slice(0, 20);
  if (flags.json) printJson(report);
  else {
    const found = (report.counterexample ?? []) as { file?: string }[];
    const lines = describe({
      property,
      proof,
      revisions: report.bundle,
      milliseconds: times.prove_ms,
      expressions: stops,
      certificate: flags.certificate,
      files: found.map(({ file }) => file),
      folders: flags.folders,
      data: flags.data,
    });
    for (const line of lines) print(line);
  }
  return proof.verdict === 'proved' ? 0 : EXIT_FAILED;
}

const PROBLEMS_SHOWN = 3;

/** Checks a certificate against a pair of bundles; the checker reads both as nobody's friend. */
async function checkAgain(certificate: string, folder: string, json: boolean): Promise<number> {
  const checked = await checkCertificate({
    certificate: await readCertificate(certificate),
    compiler: await RegoCompiler.load(),
    policy: await readBundle(join(folder, 'policy')),
    data: await readBundle(join(folder, 'data')),
  });
  if (json) {
    printJson(checked);
    return checked.ok ? 0 : EXIT_FAILED;
  }
  print(`${checked.ok ? pc.green('holds') : pc.red('refused')} ${printable(checked.summary)}`);
  if (checked.note !== undefined) print(`  ${checked.note}`);
  if (checked.revision !== undefined) {
    print(`  policy ${checked.revision.policy}\n  data   ${checked.revision.data}`);
  }
  for (const { message, file, row, source } of checked.problems.slice(0, PROBLEMS_SHOWN)) {
    print(`  ${printable(`${file === undefined ? '' : `${file}:${row ?? 1}: `}${message}`)}`);
    if (source !== undefined) print(`    ${printable(source.trim())}`);
  }
  return checked.ok ? 0 : EXIT_FAILED;
}

async function readCertificate(path: string): Promise<JsonValue> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as JsonValue;
  } catch (cause) {
    throw new InputError('input_invalid', `cannot read a certificate from ${path}`, { cause });
  }
}

type Report = JsonObject & { bundle: { policy: string; data: string } };

/** A folder of two bundles gives both, unless `--data` says otherwise. */
function unpair(folders: string[], data: string | undefined) {
  const half = (path: string, name: string) =>
    [join(path, name), join(path, `${name}.tar.gz`)].find(
      (one) => existsSync(one) && isBundle(one),
    );
  const pair = folders.find((path) => half(path, 'policy') !== undefined);
  if (pair === undefined) return { folders, data };
  return {
    folders: folders.map((path) => (path === pair ? half(path, 'policy')! : path)),
    data: data ?? half(pair, 'data'),
  };
}

/** Writes the inputs where they were wanted, and gives them with the command that asks about each. */
async function keep(inputs: JsonObject[], flags: Flags): Promise<JsonValue> {
  const out: JsonObject[] = [];
  for (const [index, input] of inputs.entries()) {
    if (flags.counterexample === undefined) {
      out.push({ input });
      continue;
    }
    const file = index === 0 ? flags.counterexample : numbered(flags.counterexample, index + 1);
    await writeFile(file, `${JSON.stringify(input, null, 2)}\n`);
    out.push({ input, file });
  }
  return out;
}

function numbered(file: string, number: number): string {
  return file.endsWith('.json') ? `${file.slice(0, -5)}-${number}.json` : `${file}-${number}`;
}

function showProgress(evaluations: number): void {
  if (evaluations % 1000 === 0) process.stderr.write(`\r${evaluations} classes of inputs …\r`);
}
