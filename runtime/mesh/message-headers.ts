// The headers that say something of a body: what it is written in, and what MCP repeats of it.
import type { HeaderPairs } from '../proxywasm/filter.ts';
import type { Envelope } from './rpc.ts';

const JSON_TYPES: readonly string[] = [
  'application/json',
  'application/json;charset=utf-8',
  'application/json; charset=utf-8',
];

/** Whether the body says of itself, once, that it is JSON in UTF-8, and that nothing has encoded it. */
export function isJsonBody(headers: HeaderPairs): boolean {
  const types = valuesOf(headers, 'content-type');
  const encodings = valuesOf(headers, 'content-encoding');
  return (
    types.length === 1 &&
    JSON_TYPES.includes(lower(types[0]!)) &&
    encodings.every((encoding) => lower(encoding) === 'identity')
  );
}

/** Whether the request asks to go on as another protocol, in which nobody reads messages. */
export function leavesHttp(headers: HeaderPairs): boolean {
  return valuesOf(headers, 'upgrade').length > 0;
}

/**
 * Whether what MCP's headers repeat (revision 2026-07-28, Streamable HTTP) is what the body says:
 * `Mcp-Method`, `Mcp-Name`, and the revision where the body names one too.
 */
export function agrees(
  headers: HeaderPairs,
  { method, name, revision }: Pick<Envelope, 'method' | 'name' | 'revision'>,
): boolean {
  // A header's characters are its bytes.
  const all = (header: string, said: string | undefined) =>
    valuesOf(headers, header).every(
      (value) => said !== undefined && value === Buffer.from(said).toString('latin1'),
    );
  return (
    all('mcp-method', method) &&
    all('mcp-name', name) &&
    (revision === undefined || all('mcp-protocol-version', revision))
  );
}

function valuesOf(headers: HeaderPairs, wanted: string): string[] {
  return headers.filter(([name]) => name === wanted).map(([, value]) => value);
}

/** ASCII letters only: other case mappings differ from reader to reader. */
function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
