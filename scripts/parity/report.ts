// What a run of parity says, for people and as JSON.
import { BOUNDARIES } from '../../runtime/decide/boundary.ts';
import type { SampleRequest } from '../../runtime/testing/sample-requests.ts';
import type { Difference, ParityReport } from './compare.ts';
import type { HostName } from './host.ts';
import type { InlineReport } from './inline.ts';

const SHOWN_BYTES = 2000;
const ALLOWED_MIN = 0.3;

/** The object that `--json` prints. */
export interface Summary {
  inputs: number;
  hosts: HostName[];
  /** Ids that differ from Node's, over all hosts. */
  differing: number;
  seed: number;
  byHost: { [host: string]: { differing: number; seconds: number; perThousandMs: number } };
  /** By boundary and module, the share of inputs that is allowed. */
  allowed: { [name: string]: number };
  /** Boundaries of which less than 30 % are allowed: inputs that mean too little. */
  tooFewAllowed: string[];
  /** How many different reasons the inputs came to. */
  reasons: number;
  differences: object[];
  /** Requests that went through Envoy's filter in line, with certificates and bodies; absent without Envoy. */
  inline?: { requests: number; allowed: number; differing: number };
}

export function summaryOf(report: ParityReport, inline?: InlineReport): Summary {
  const { inputs, seed, hosts } = report;
  const byHost = [...hosts].map(([name, { differing, seconds }]) => {
    const perThousandMs = Math.round((seconds * 1e6) / inputs);
    return [name, { differing, seconds: Math.round(seconds * 10) / 10, perThousandMs }] as const;
  });
  const allowed = [...report.shares].map(
    ([name, share]) => [name, Math.round((share.allowed / share.inputs) * 1000) / 1000] as const,
  );
  return {
    inputs,
    hosts: [...hosts.keys()],
    differing: [...hosts.values()].reduce(
      (sum, { differing }) => sum + differing,
      inline?.differences.length ?? 0,
    ),
    seed,
    byHost: Object.fromEntries(byHost),
    allowed: Object.fromEntries(allowed.sort()),
    tooFewAllowed: BOUNDARIES.filter((name) => {
      const share = report.shares.get(name);
      return share !== undefined && share.allowed < ALLOWED_MIN * share.inputs;
    }),
    reasons: report.codes.size,
    differences: report.differences.map(({ host, smallest, expected, found }) => ({
      ...{ host, expected, found },
      ...requestOf(smallest),
    })),
    ...(inline && {
      inline: {
        ...{ requests: inline.requests, allowed: inline.allowed },
        differing: inline.differences.length,
      },
    }),
  };
}

/** The same for people. */
export function textOf(summary: Summary): string {
  const lines = Object.entries(summary.byHost).map(
    ([name, { differing, seconds, perThousandMs }]) =>
      `${name.padEnd(10)}${String(perThousandMs).padStart(6)} ms a thousand${String(seconds).padStart(8)} s  ${differing} differ`,
  );
  const shares = Object.entries(summary.allowed).map(
    ([name, share]) => `${name.padEnd(22)}${(share * 100).toFixed(0).padStart(3)} % allowed`,
  );
  const { inline } = summary;
  if (inline !== undefined) {
    lines.push(
      `in line   ${inline.requests} requests with certificates and bodies, ${inline.allowed} allowed: ${inline.differing} differ`,
    );
  }
  const end = `${summary.inputs} inputs, ${summary.hosts.length} hosts, ${summary.reasons} reasons: ${summary.differing} ids differ`;
  return [...shares, ...lines, end].join('\n');
}

/** One difference in full: who, where, both answers, and the smallest input that shows it. */
export function exampleOf({ host, smallest, expected, found }: Difference): string {
  const { boundary, module } = smallest;
  return [
    `${host} differs at the boundary ${boundary}, module ${module}`,
    `  node:  ${JSON.stringify(expected)}`,
    `  ${host}: ${JSON.stringify(found)}`,
    `  input: ${shown(smallest.input)}`,
    ...(smallest.schema ? [`  schema: ${shown(smallest.schema)}`] : []),
    `  as a line: ${JSON.stringify(requestOf(smallest)).slice(0, SHOWN_BYTES)}`,
  ].join('\n');
}

/** Bytes as text where they are some, so that control characters and broken UTF-8 can be seen. */
function shown(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1');
  const isAscii = /^[\x20-\x7e]*$/.test(text);
  return (isAscii ? text : JSON.stringify(Buffer.from(bytes).toString())).slice(0, SHOWN_BYTES);
}

function requestOf({ boundary, module, input, salt, schema }: SampleRequest): object {
  return {
    ...{ boundary, module },
    input: Buffer.from(input).toString('base64'),
    salt: Buffer.from(salt).toString('hex'),
    ...(schema && { schema: Buffer.from(schema).toString('base64') }),
  };
}
