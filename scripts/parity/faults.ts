// Faults of one bit, put into running hosts to show that parity finds them; nothing that ships knows of them.
import type { HostName } from './host.ts';

/** A bit of a module's memory, after its digest was checked: the lowest of the last byte of a text in it. */
export interface MemoryFault {
  kind: 'memory';
  name: string;
  /** Text in a data segment, as UTF-8 or, where a module has it so, as UTF-16. */
  text: string;
}

/** A bit of a host's own code or constants. */
export interface GlueFault {
  kind: 'glue';
  name: string;
  /** By host: which source, and what becomes what in it. Envoy's is its filter, or its configuration. */
  changes: { readonly [host in HostName]?: Change };
}

export interface Change {
  /** The end of the source's path. */
  file: string;
  from: string;
  to: string;
}

export type Fault = MemoryFault | GlueFault;

/** The same text, the lowest bit of its last character flipped. */
export function flipped(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return text.slice(0, -1) + String.fromCharCode(last ^ 1);
}

/** One fault in a constant that every host's glue has, in quotes where its language has them. */
function constant(
  name: string,
  text: string,
  files: { [host in HostName]?: string },
  quote = true,
): GlueFault {
  const changes: GlueFault['changes'] = Object.fromEntries(
    Object.entries(files).map(([host, file]) => {
      const before = quote && host !== 'envoy' ? quoteOf(host as HostName) : '';
      return [host, { file, from: before + text + before, to: before + flipped(text) + before }];
    }),
  );
  return { kind: 'glue', name, changes };
}

const quoteOf = (host: HostName) => (host === 'python' || host === 'chromium' ? '"' : "'");

const python = 'platform_sdk/_read.py';
const boundary = { node: 'decide/boundary.ts', cli: 'decide/boundary.ts' };
const commitment = { node: 'decide/commitment.ts', cli: 'decide/commitment.ts' };
const packed = { chromium: 'decider.js', envoy: 'filter.wasm' };

/** Every fault that is planted; `changes` says in which hosts, and one of memory in all of them. */
export const FAULTS: readonly Fault[] = [
  constant("the tag of a field's salt", 'platform/salt/v1', { ...commitment, python, ...packed }),
  constant(
    'the member that stands for a secret',
    '$commitment',
    { ...commitment, python, ...packed },
    false,
  ),
  constant('the list of committed fields: provenance', 'provenance', {
    ...boundary,
    python,
    ...packed,
  }),
  constant('the list of committed fields: topics', 'topics', { ...boundary, python, ...packed }),
  constant('the code of a refusal', 'input_duplicate_key', {
    ...{ node: 'modules/error-numbers.ts', cli: 'modules/error-numbers.ts' },
    ...{ python: 'platform_sdk/_wasm.py', ...packed },
  }),
  {
    kind: 'glue',
    name: 'the length before a field',
    changes: {
      node: {
        file: 'modules/frames.ts',
        from: 'writeUInt32BE(length,',
        to: 'writeUInt32BE(length ^ 1,',
      },
      cli: {
        file: 'modules/frames.ts',
        from: 'writeUInt32BE(length,',
        to: 'writeUInt32BE(length ^ 1,',
      },
      python: {
        file: 'platform_sdk/_read.py',
        from: '_SALT = frame(',
        to: '_SALT = odd(',
      },
    },
  },
  {
    kind: 'glue',
    name: 'a bit of the revision that is configured',
    changes: { envoy: { file: 'configuration', from: '"policy_revision":"sha256:', to: '' } },
  },
  { kind: 'memory', name: 'a text of the module scope', text: 'scope_covers' },
  { kind: 'memory', name: 'a text of the module arguments', text: 'required' },
  { kind: 'memory', name: 'a text of the module guard', text: 'email' },
  { kind: 'memory', name: 'a text of the compiled policy', text: 'agent_rate_exceeded' },
];
