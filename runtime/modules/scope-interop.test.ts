// Test of the SPIFFE ID rules against go-spiffe, the reference library: both must take and refuse alike.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../testing/needs.ts';
import { Scope } from './scope.ts';
import { moduleBytes } from './source.ts';

const scope = Scope.create(moduleBytes('scope'));

function accepts(id: string): boolean {
  try {
    scope.parse(id);
    return true;
  } catch {
    return false;
  }
}

/** What go-spiffe says of each ID: an empty text, or why it refuses. */
function goSpiffe(ids: readonly string[]): string[] {
  const folder = fileURLToPath(new URL('../testing/go-spiffe', import.meta.url));
  const output = execFileSync('go', ['run', '.'], {
    cwd: folder,
    input: JSON.stringify(ids),
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(output.toString()) as string[];
}

if (needs('go')) {
  test('takes and refuses the IDs that go-spiffe takes and refuses', () => {
    const part = fc.constantFrom(
      ...['spiffe://', 'spiffe:/', 'SPIFFE://', 'td', 'TD', 'a.b-c_d', '/', '//', '/a', '/A', '/.'],
      ...['/..', '/...', '/a.', '/*', '%', '%2e', ':', ':80', '@', '?', '#', ' ', 'é', '\0', '\n'],
    );
    const tail = fc.array(part, { maxLength: 5 }).map((parts) => parts.join(''));
    // A valid ID with one byte put in, left out or replaced, where it may no longer be one.
    const segment = fc.string({ unit: fc.constantFrom(...'aZ09.-_'), minLength: 1, maxLength: 4 });
    const nearMiss = fc
      .tuple(
        fc.array(segment, { maxLength: 3 }),
        fc.nat(),
        fc.nat(1),
        fc.constantFrom('', ...'aA/.%:@?#*~ \0é'),
      )
      .map(([segments, at, cut, put]) => {
        const whole = ['spiffe://td', ...segments].join('/');
        const where = at % (whole.length + 1);
        return whole.slice(0, where) + put + whole.slice(where + cut);
      });
    const id = fc.oneof(
      tail,
      nearMiss,
      tail.map((text) => `spiffe://td${text}`),
      tail.map((text) => `spiffe://td/a${text}`),
    );
    const ids = fc.sample(id, 20_000);
    const refusals = goSpiffe(ids);
    let accepted = 0;
    for (const [i, text] of ids.entries()) {
      assert.is(accepts(text), refusals[i] === '', `${JSON.stringify(text)} ${refusals[i]}`);
      if (refusals[i] === '') accepted += 1;
    }
    assert.ok(accepted > 1000 && accepted < 19_000, `${accepted} accepted`);
  });
}

test.run();
