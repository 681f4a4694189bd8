// Archives: what is written is read, every tar reads it, and nothing else is taken for one.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bytesSource } from '../testing/walk.ts';
import { ArchiveWriter, BLOCK_BYTES, headerOf, isEntryName, paddingOf } from './archive.ts';
import { readEntries } from './archive-reader.ts';

type Content = [name: string, bytes: Uint8Array][];

async function packed(contents: Content): Promise<Buffer> {
  let file = Buffer.alloc(0);
  const writer = new ArchiveWriter({
    write: async (bytes) => {
      file = Buffer.concat([file, bytes]);
    },
    patch: async (bytes, at) => void file.set(bytes, at),
  });
  for (const [name, bytes] of contents) await writer.add(name, [bytes]);
  await writer.end();
  return file;
}

/** An archive of raw parts, as somebody else may write it. */
function forged(parts: [header: Uint8Array, content: Uint8Array][], end = 2 * BLOCK_BYTES) {
  const blocks = parts.flatMap(([header, content]) => [
    header,
    content,
    new Uint8Array(paddingOf(content.byteLength)),
  ]);
  return Buffer.concat([...blocks, new Uint8Array(end)]);
}

/** The header with one field changed and its checksum right again. */
function altered(name: string, bytes: number, at: number, text: string): Uint8Array {
  const header = Buffer.from(headerOf(name, bytes));
  header.write(text, at, 'latin1');
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

const refusal = async (file: Uint8Array): Promise<string> => {
  const error = await readEntries(bytesSource(file)).catch((thrown) => thrown);
  assert.is(error.code, 'export_invalid');
  return error.message;
};

const segments = fc.stringMatching(/^[a-zA-Z0-9_-][a-zA-Z0-9._-]{0,20}$/);
const names = fc.array(segments, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const contents = fc.uniqueArray(fc.tuple(names, fc.uint8Array({ maxLength: 2000 })), {
  selector: ([name]) => name,
  maxLength: 8,
});

test('what was written is found where the index says', async () => {
  await fc.assert(
    fc.asyncProperty(contents, async (given) => {
      const file = await packed(given);
      const entries = await readEntries(bytesSource(file));
      assert.equal(
        [...entries.keys()],
        given.map(([name]) => name),
      );
      for (const [name, bytes] of given) {
        const { start, bytes: length } = entries.get(name)!;
        assert.equal(Buffer.from(file.subarray(start, start + length)), Buffer.from(bytes));
      }
    }),
  );
});

test('every flipped bit outside of the contents is refused', async () => {
  const file = await packed([
    ['evidence/log.json', Buffer.from('{}')],
    ['manifest.json', new Uint8Array(600)],
  ]);
  const inContent = (at: number) => (at >= 512 && at < 514) || (at >= 1536 && at < 2136);
  for (let bit = 0; bit < file.byteLength * 8; bit++) {
    if (inContent(bit >> 3)) continue;
    const changed = Buffer.from(file);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    const entries = await readEntries(bytesSource(changed)).catch((error) => error.code);
    assert.is(entries, 'export_invalid', `bit ${bit}`);
  }
});

test('cut anywhere, or with bytes behind it, it is refused', async () => {
  const file = await packed([['a', Buffer.from('content')]]);
  for (let length = 0; length < file.byteLength; length++) {
    await refusal(file.subarray(0, length));
  }
  await refusal(Buffer.concat([file, new Uint8Array(512)]));
  await refusal(Buffer.concat([file, Buffer.from('x')]));
});

test('two entries of one name, links, other names and impossible sizes are named', async () => {
  const a = headerOf('a', 1);
  const x = Buffer.from('x');
  assert.match(
    await refusal(
      forged([
        [a, x],
        [a, x],
      ]),
    ),
    'two entries named a',
  );
  assert.match(await refusal(forged([[altered('a', 0, 156, '2'), new Uint8Array(0)]])), 'no plain');
  assert.match(await refusal(forged([[altered('a', 0, 156, '5'), new Uint8Array(0)]])), 'no plain');
  assert.match(await refusal(forged([[altered('a', 1, 157, '/etc/passwd'), x]])), 'no plain file');
  assert.match(await refusal(forged([[altered('a', 1, 345, 'other'), x]])), 'no plain file');
  for (const name of [
    '/etc/passwd',
    '../a',
    'a/../b',
    'a//b',
    './a',
    '.hidden',
    'a/',
    'a\\b',
    'ä',
  ]) {
    assert.not(isEntryName(name), name);
    assert.match(
      await refusal(forged([[altered('x'.repeat(20), 1, 0, `${name}\0`), x]])),
      'byte 0',
    );
  }
  assert.match(await refusal(forged([[headerOf('a', 2 ** 40), x]])), 'beyond the end');
  assert.match(await refusal(forged([[headerOf('a', Number.MAX_SAFE_INTEGER), x]])), 'beyond');
  const between = Buffer.from(forged([[a, x]]));
  between[600] = 1;
  assert.match(await refusal(between), 'belong to no entry');
});

test('noise is refused with a code, never another error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 3000 }), async (noise) => {
      await refusal(noise);
    }),
  );
});

test('an entry is added once, and a bad name never', async () => {
  const once: Content = [['a', Buffer.from('1')]];
  assert.is(await packed([...once, ...once]).catch((error) => error.code), 'export_invalid');
  assert.is(
    await packed([['../a', Buffer.from('1')]]).catch((error) => error.code),
    'export_invalid',
  );
});

test('tar lists and unpacks it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'archive-'));
  try {
    const path = join(folder, 'x.tar');
    writeFileSync(
      path,
      await packed([
        ['evidence/segment', Buffer.from('rows')],
        ['b', new Uint8Array(0)],
      ]),
    );
    assert.is(execFileSync('tar', ['-tf', path]).toString(), 'evidence/segment\nb\n');
    assert.is(execFileSync('tar', ['-xOf', path, 'evidence/segment']).toString(), 'rows');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.run();
