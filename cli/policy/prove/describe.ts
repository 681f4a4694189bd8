// Says in a few lines what was found: the verdict, what it is about, and what to do with it.
import pc from 'picocolors';
import { printable } from '../../../runtime/explain/printable.ts';
import type { JsonObject } from '../../../runtime/json.ts';
import type { Expression } from './certificate.ts';
import { noteOf, type Property } from './property.ts';
import type { Proof } from './prove.ts';

export interface Shown {
  property: Property;
  proof: Proof;
  revisions: { policy: string; data: string };
  milliseconds: number;
  /** The expressions that the prover does not interpret, where they matter. */
  expressions: Expression[];
  /** Where the certificate was written. */
  certificate?: string;
  /** Where the refuting inputs were written, if they were. */
  files: (string | undefined)[];
  /** The folders and the data of the command line, for the command that asks again. */
  folders: readonly string[];
  data?: string;
}

const OPEN_MAX = 5;

/** The lines that `platform policy prove` prints. */
export function describe(shown: Shown): string[] {
  const { property, proof, revisions, milliseconds } = shown;
  const colour = { proved: pc.green, refuted: pc.red, unknown: pc.yellow }[proof.verdict];
  const note = noteOf(property);
  const work = `${proof.evaluations} classes of inputs in ${milliseconds} ms`;
  return [
    `${colour(proof.verdict)} ${printable(property.text)}`,
    ...(note === undefined ? [] : [`  ${note}`]),
    `  boundary ${property.boundary}; ${work}`,
    `  policy ${revisions.policy}`,
    `  data   ${revisions.data}`,
    ...(proof.verdict === 'proved' ? proved(shown, proof) : []),
    ...(proof.verdict === 'refuted' ? refuted(shown, proof.inputs) : []),
    ...expressionsOf(shown),
    ...(proof.verdict === 'unknown'
      ? proof.open
          .slice(0, OPEN_MAX)
          .map((open) => `  may be allowed: ${printable(JSON.stringify(open))}`)
      : []),
  ];
}

function proved({ certificate }: Shown, proof: Extract<Proof, { verdict: 'proved' }>): string[] {
  if (proof.cases === undefined) {
    return ['  no certificate: what may be allowed is not a finite list'];
  }
  const where = certificate === undefined ? '; --certificate FILE keeps it' : `, in ${certificate}`;
  return [
    `  certificate: ${proof.cases.length} cases${where}`,
    ...(proof.assumed === undefined
      ? []
      : [
          `  assumes that ${proof.assumed};`,
          '  prove --check shares no assumption and will refuse it',
        ]),
  ];
}

function refuted({ files, folders, data, property }: Shown, inputs: JsonObject[]): string[] {
  const lines = inputs.map((input, index) => {
    const file = files[index];
    if (file === undefined) return `  ${printable(JSON.stringify(input))}`;
    const given = data === undefined ? [] : ['--data', data];
    const words = ['platform policy eval', ...folders, '--boundary', property.boundary];
    return `  ${[...words, '--input', file, ...given].join(' ')}`;
  });
  const hint = '  --counterexample FILE keeps it for platform policy eval';
  return ['  the compiled module allows:', ...lines, ...(files[0] === undefined ? [hint] : [])];
}

function expressionsOf({ proof, expressions }: Shown): string[] {
  if (expressions.length === 0) return [];
  const title =
    proof.verdict === 'proved'
      ? '  taken for conditions that may hold, which can only hinder a proof:'
      : '  stopped by:';
  return [
    title,
    ...expressions.map(({ file, row, expression, why }) => {
      const place = file === '' ? '' : printable(`${file}:${row}: ${expression}  `);
      return `  ${place}${pc.dim(`[${why}]`)}`;
    }),
  ];
}
