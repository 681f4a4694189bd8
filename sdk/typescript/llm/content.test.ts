// The texts of requests of four providers, and what is refused.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { InputError } from '../errors.ts';
import { promptSegments, textsWithin } from './content.ts';
import { Guarding } from './guarding.ts';

/** Put together here, so that no text of this file looks like a credential. */
const SECRET = `ghp${'_'}${'x7Kq2mVb9TzR4sLw8NcY1dFg6HjP3a10IZZG'}`;

const of = (body: JsonObject) =>
  promptSegments(body).map(({ role, source, text }) => [role, source, text]);

function nested(depth: number): JsonValue {
  let value: JsonValue = SECRET;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

test('what is nested too deep is refused and not passed over', () => {
  const within = (depth: number) => ({ messages: [{ role: 'user', content: nested(depth) }] });
  assert.is(promptSegments(within(30)).length, 1);
  for (const depth of [31, 33, 500]) {
    assert.throws(
      () => promptSegments(within(depth)),
      (error: unknown) => error instanceof InputError && error.code === 'input_too_deep',
    );
  }
});

test('every member of what a tool takes and gives is text', () => {
  const input = { id: SECRET, url: 'https://example.org', name: 'x', deep: { status: 'y' } };
  const message = { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input }] };
  assert.equal(of({ messages: [message] }), [['assistant', 'user', JSON.stringify(input)]]);
  const response = { data: 'a', format: 'b' };
  const parts: JsonValue[] = [
    { functionCall: { name: 'f', args: { id: 'c' } } },
    { functionResponse: { name: 'f', response } },
    { function_response: { name: 'f', response } },
  ];
  assert.equal(of({ contents: [{ role: 'user', parts }] }), [
    ['user', 'user', '{"id":"c"}'],
    ['tool', 'tool', JSON.stringify(response)],
    ['tool', 'tool', JSON.stringify(response)],
  ]);
});

test('data is text where nothing says that it is bytes', () => {
  assert.equal(textsWithin({ type: 'note', data: 'a' }), ['a']);
  assert.equal(textsWithin({ type: 'text', media_type: 'text/plain', data: 'a' }), ['a']);
  const binary: JsonObject[] = [
    { type: 'base64', media_type: 'application/pdf' },
    { type: 'redacted_thinking' },
    { format: 'wav' },
  ];
  for (const bytes of binary) {
    assert.equal(textsWithin({ ...bytes, data: 'AAAA' }), []);
  }
});

test('what two sources hold is reported of both', () => {
  const found = new Guarding().prompt([
    { role: 'user', source: 'user', text: `use ${SECRET}` },
    { role: 'tool', source: 'tool', text: `it said ${SECRET}` },
    { role: 'system', source: 'user', text: SECRET },
  ]);
  assert.equal(
    found.Secrets!.matches.map(({ start }) => start),
    [4, 8, 0],
  );
});

test.run();
