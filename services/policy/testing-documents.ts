// Documents and inputs in which two evaluators of Rego could differ, for the comparison with OPA.
import type { JsonValue } from '../../runtime/json.ts';

/** What could differ: values of every kind, undefined and false, sets, keys, errors, functions. */
export const OPERATOR = `# METADATA
# title: Documents of every kind, whatever the input
# schemas:
#   - input: {}
package platform.tool.operator

deny contains {"code": "never"} if input.never

echo := input

unset if input.never

no := false

nothing := null

list := [3, 1, 2, {"a": [true]}]

bag := {3, 1, "x", [1, 2]}

by_number := {1: "one", "2": "two", [3]: "three"}

text := "ä\\u2028<&>\\"\\\\ 😀"

numbers := [1.5, 1e21, 12345678901234567890, -0, 0.1]

double(x) := x * 2

twice := double(input.number)

nested["a"]["b c"] := input.number

nested["a"].d := 4

clash := 1 if input.left

clash := 2 if input.right

divided := 1 / input.number

keyed[name] := value if some name, value in input.members
`;

/** Inputs of every kind. */
export const inputs: (JsonValue | undefined)[] = [
  undefined,
  null,
  {},
  false,
  0,
  '',
  [],
  'text',
  { never: true },
  { number: 2 },
  { number: 0 },
  { left: true, right: true },
  { members: { a: 1, 'b/c': [2], 'ü"': null } },
  { text: '\u0000\u001f\u2028😀é', big: 9007199254740991, small: -1.5e-7 },
];

/** Paths to what `OPERATOR` defines, into it, and past it. */
export const operatorPaths = [
  ...['', '/echo', '/unset', '/no', '/nothing', '/list', '/list/1', '/list/3/a/0', '/list/9'],
  ...['/bag', '/bag/3', '/bag/0', '/bag/x', '/bag/y', '/by_number', '/by_number/1', '/by_number/2'],
  ...[
    '/text',
    '/text/0',
    '/numbers',
    '/double',
    '/twice',
    '/nested',
    '/nested/a',
    '/nested/a/b%20c',
  ],
  ...[
    '/nested/a/x',
    '/clash',
    '/divided',
    '/keyed',
    '/keyed/a',
    '/keyed/b%2Fc',
    '/deny',
    '/missing',
  ],
].map((path) => `platform/tool/operator${path}`);

/** Paths to base data, to packages and to nothing. */
export const dataPaths = [
  ...['', 'platform', 'platform/answer', 'platform/nothing', 'limits', 'limits/agent_minute'],
  ...['limits/agent_minute/x', 'limits/0', 'nothing', 'nothing/at/all', 'agents'],
  ...[
    'tools/list',
    'tools/list/0',
    'tools/list/01',
    'tools/list/-1',
    'tools/list/7',
    'tools/list/x',
  ],
  ...['tools/digits/0', 'tools/digits/00', 'tools/digits/+1', 'tools/digits/1', 'tools/list/a'],
  'tools/a%20b',
];
