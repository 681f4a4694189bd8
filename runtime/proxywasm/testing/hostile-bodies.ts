// Bodies as an attacker would write them, for fast-check.
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../json.ts';
import { credential } from './body-cases.ts';

/** A body that is nearly a message: members dropped, doubled, respelled, nested, or of another type. */
const names = fc.constantFrom(
  ...['jsonrpc', 'id', 'method', 'params', 'name', 'arguments', 'uri', '_meta', 'message', 'parts'],
  ...[
    'metadata',
    'skillId',
    'result',
    'error',
    'Method',
    'NAME',
    'part\u017f',
    '__proto__',
    '',
    'path',
  ],
  ...['io.modelcontextprotocol/protocolVersion', 'text', 'toString'],
);
const values = fc.constantFrom<JsonValue>(
  ...[
    '2.0',
    '1.0',
    'tools/call',
    'tools/list',
    'files_get',
    'files_put',
    'message/send',
    'a\nb',
    '',
  ],
  ...['prompts/get', 'resources/read', 'x'.repeat(256), 'é'.repeat(129), '2025-11-25', '\u007f'],
  ...[1, 1.5, null, true, credential],
);
const { node } = fc.letrec<{ node: JsonValue }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: values },
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(names, tie('node'), { maxKeys: 5, noNullPrototype: true }),
  ),
}));
const message = fc
  .record(
    {
      jsonrpc: fc.constantFrom<JsonValue>('2.0', '2.0', '2.0', '2.0', 2),
      id: fc.oneof(fc.nat(9), fc.string(), fc.constant(null)),
      method: fc.constantFrom(
        'tools/call',
        'tools/list',
        'prompts/get',
        'resources/read',
        'message/send',
      ),
      params: fc.oneof(
        {
          weight: 3,
          arbitrary: fc.record(
            {
              name: fc.constantFrom('files_get', 'files_put'),
              arguments: node,
              _meta: node,
              uri: values,
            },
            { requiredKeys: ['name'] },
          ),
        },
        {
          weight: 2,
          arbitrary: fc.record({
            message: fc.record(
              { parts: fc.array(node, { maxLength: 3 }), metadata: node },
              { requiredKeys: ['parts'] },
            ),
          }),
        },
        node,
      ),
      result: node,
    },
    { requiredKeys: ['jsonrpc', 'method'], noNullPrototype: true },
  )
  .chain((whole) =>
    fc.tuple(
      fc.constant(whole),
      fc.oneof(
        { weight: 5, arbitrary: fc.constant<Record<string, JsonValue>>({}) },
        { weight: 1, arbitrary: fc.dictionary(names, node, { maxKeys: 1, noNullPrototype: true }) },
      ),
    ),
  )
  .map(([whole, more]) => ({ ...whole, ...more }));
/** A message that is one, with odd things only where a message may have them. */
const sound = fc
  .tuple(fc.constantFrom('files_get', 'files_put'), node, fc.nat(4), fc.boolean())
  .map(([name, odd, at, isBare]): JsonObject => {
    const id: JsonObject = isBare ? {} : { id: at };
    const of = (method: string, params: JsonObject) => ({ jsonrpc: '2.0', ...id, method, params });
    if (at === 0) return of('tools/call', { name, arguments: { path: '/a' }, _meta: odd });
    if (at === 1) return of('tools/call', { name, arguments: { path: odd } });
    if (at === 2) return of('message/send', { message: { parts: [odd], metadata: {} } });
    if (at === 3) return of('tools/list', { odd });
    return { jsonrpc: '2.0', id: 'x', result: odd };
  });
/** The bytes of a body, nearly always with something odd in them. */
export const spelled = fc
  .oneof(message, sound, sound)
  .chain((value) =>
    fc
      .tuple(
        fc.constant(JSON.stringify(value)),
        fc.nat(),
        fc.constantFrom('', '', '', '', '', 'escape', 'escape', 'cut', 'double', 'space', 'byte'),
      )
      .map(([text, at, how]) => misspelled(text, at, how)),
  );

/** One change of a text that some readers would not notice. */
function misspelled(text: string, at: number, how: string): Buffer {
  const place = at % text.length;
  if (how === 'cut') return Buffer.from(text.slice(0, place));
  if (how === 'space') return Buffer.from(text.replace(/[,:]/g, '$& \n'));
  if (how === 'double') return Buffer.from(text.replace('{', '{"method":"tools/list",'));
  if (how === 'byte')
    return Buffer.concat([
      Buffer.from(text.slice(0, place)),
      Buffer.of(at % 256),
      Buffer.from(text.slice(place)),
    ]);
  if (how !== 'escape') return Buffer.from(text);
  return Buffer.from(
    text.replace(/[a-z]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  );
}
/** Headers that repeat what a body says, or say what it is written in. */
export const repeated = fc.array(
  fc
    .tuple(
      fc.constantFrom(
        'mcp-method',
        'mcp-name',
        'mcp-protocol-version',
        'content-encoding',
        'content-type',
      ),
      fc.constantFrom(
        'tools/call',
        'tools/list',
        'files_get',
        '2025-11-25',
        'identity',
        'gzip',
        'application/json',
      ),
    )
    .map((pair): [string, string] => [...pair]),
  { maxLength: 2 },
);
