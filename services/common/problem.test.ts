// Problem documents: one mapping for every code, and nothing of an unexpected error.
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ErrorCode, PlatformError } from '../../runtime/errors.ts';
import { problemOf, problemResponse } from './problem.ts';

test('every code of the platform has an error status and a title', () => {
  const source = readFileSync(new URL('../../runtime/errors.ts', import.meta.url), 'utf8');
  const start = source.indexOf('export type ErrorCode');
  const union = source.slice(start, source.indexOf(';', start));
  const codes = [...union.matchAll(/\| '([a-z0-9_]+)'/g)].map((match) => match[1] as ErrorCode);
  assert.ok(codes.length > 80);
  for (const code of codes) {
    const [status, title] = problemOf(code);
    assert.ok(status >= 400 && status < 600 && title.length > 10, code);
    if (code !== 'internal') assert.is.not(title, problemOf('internal')[1], code);
  }
});

test('a platform error is told, with its hint and data; another one is not', () => {
  const error = new PlatformError('schema_invalid', 'bad', { hint: 'fix it', data: { line: 3 } });
  const { status, headers, body } = problemResponse(error, { request_id: 'r' });
  assert.is(status, 422);
  assert.is(headers['content-type'], 'application/problem+json');
  assert.equal(JSON.parse(body as string), {
    type: 'tag:platform.io,2026:errors/schema_invalid',
    title: 'The schema of a tool cannot be used',
    status: 422,
    code: 'schema_invalid',
    detail: 'bad',
    hint: 'fix it',
    data: { line: 3 },
    request_id: 'r',
  });
  const unexpected = problemResponse(new TypeError('password hunter2')).body as string;
  assert.not.match(unexpected, /hunter2|TypeError/);
});

test.run();
