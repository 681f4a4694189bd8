// Calls of built-ins as templates: the type of the result, the types of the arguments, and the text.
import type { Type } from './types.ts';

/** `#` stands for the next argument. */
export interface Call {
  result: Type;
  parameters: Type[];
  text: string;
}

const texts: Type = { array: 'text' };
const numbers: Type = { array: 'number' };
const textSet: Type = { set: 'text' };
const numberSet: Type = { set: 'number' };

function calls(result: Type, ...templates: [string, ...Type[]][]): Call[] {
  return templates.map(([text, ...parameters]) => ({ result, parameters, text }));
}

export const builtinCalls: readonly Call[] = [
  ...calls(
    'boolean',
    ['startswith(#, #)', 'text', 'text'],
    ['endswith(#, #)', 'text', 'text'],
    ['contains(#, #)', 'text', 'text'],
    ['regex.match("^[a-r]+$", #)', 'text'],
    ['regex.match("(?i)D.?[ev]*|\\\\d{2}", #)', 'text'],
    ['glob.match("*[/.]b*", [], #)', 'text'],
    ['glob.match("{a,r}*", null, #)', 'text'],
    ['semver.is_valid(#)', 'text'],
    ['net.cidr_contains("10.0.0.0/24", #)', 'text'],
    ['json.is_valid(#)', 'text'],
    ['strings.any_prefix_match(#, #)', 'text', texts],
    ['object.subset(#, #)', { object: 'number' }, { object: 'number' }],
    ['is_string(#)', 'text'],
    ['is_number(#)', 'number'],
  ),
  ...calls(
    'number',
    ['count(#)', texts],
    ['count(#)', 'text'],
    ['count(#)', { object: 'number' }],
    ['count(#)', textSet],
    ['sum(#)', numbers],
    ['sum(#)', numberSet],
    ['product(#)', numbers],
    ['max(#)', numbers],
    ['min(#)', numberSet],
    ['abs(#)', 'number'],
    ['round(#)', 'number'],
    ['ceil(#)', 'number'],
    ['floor(#)', 'number'],
    ['indexof(#, #)', 'text', 'text'],
    ['strings.count(#, #)', 'text', 'text'],
    ['to_number(#)', 'text'],
    ['bits.and(#, #)', 'number', 'number'],
    ['bits.lsh(#, 3)', 'number'],
    ['object.get(#, #, #)', { object: 'number' }, 'text', 'number'],
    ['time.parse_rfc3339_ns("2026-03-01T12:00:00Z") % #', 'number'],
  ),
  ...calls(
    'text',
    ['concat("-", #)', texts],
    ['concat(#, #)', 'text', textSet],
    ['lower(#)', 'text'],
    ['upper(#)', 'text'],
    ['trim(#, #)', 'text', 'text'],
    ['trim_space(#)', 'text'],
    ['trim_prefix(#, #)', 'text', 'text'],
    ['substring(#, 1, #)', 'text', 'number'],
    ['replace(#, "a", #)', 'text', 'text'],
    ['strings.reverse(#)', 'text'],
    ['sprintf("%v|%s|%d", [#, #, #])', numberSet, 'text', 'number'],
    ['format_int(#, 16)', 'number'],
    ['base64.encode(#)', 'text'],
    ['hex.encode(#)', 'text'],
    ['urlquery.encode(#)', 'text'],
    ['json.marshal(#)', { object: 'number' }],
    ['json.marshal(#)', numberSet],
    ['crypto.sha256(#)', 'text'],
    ['regex.replace(#, "[aeiou]", #)', 'text', 'text'],
    ['type_name(#)', textSet],
    ['$"{#}:{#}"', 'text', numbers],
  ),
  ...calls(
    texts,
    ['split(#, "/")', 'text'],
    ['array.concat(#, #)', texts, texts],
    ['array.slice(#, 1, #)', texts, 'number'],
    ['array.reverse(#)', texts],
    ['sort(#)', textSet],
    ['regex.split("[/. ]", #)', 'text'],
  ),
  ...calls(numbers, ['sort(#)', numbers], ['array.concat(#, #)', numbers, numbers]),
  ...calls(numbers, ['numbers.range(# % 4, 3)', 'number'], ['sort(#)', numberSet]),
  ...calls(textSet, ['object.keys(#)', { object: 'number' }], ['(# | #)', textSet, textSet]),
  ...calls(textSet, ['(# - #)', textSet, textSet], ['(# & #)', textSet, textSet]),
  ...calls(numberSet, ['union({#, #})', numberSet, numberSet], ['(# - #)', numberSet, numberSet]),
  ...calls(
    { object: 'number' },
    ['object.union(#, #)', { object: 'number' }, { object: 'number' }],
    ['object.remove(#, #)', { object: 'number' }, textSet],
    ['object.filter(#, #)', { object: 'number' }, texts],
  ),
];
