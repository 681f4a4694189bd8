// Tests of the work of the PII scanner: it grows with the text, and no text makes it much more than others do.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { moduleBytes } from '../../../runtime/modules/source.ts';

interface Exports {
  memory: WebAssembly.Memory;
  reserve(length: number): number;
  scan(pointer: number, length: number): number;
  steps(): number;
}

const module = new WebAssembly.Module(moduleBytes('guard') as Uint8Array<ArrayBuffer>);
const raw = new WebAssembly.Instance(module).exports as unknown as Exports;

/** Bytes that the scan looked at. */
function steps(text: string): number {
  const request = { direction: 'input', scanners: ['PII'], text };
  const input = Buffer.from(JSON.stringify(request));
  const pointer = raw.reserve(input.length);
  new Uint8Array(raw.memory.buffer).set(input, pointer);
  assert.is(raw.scan(pointer, input.length), 0);
  return raw.steps();
}

const prose =
  'The order of 12 May was sent to jo@example.com, see page 7 of 20 (or call 212-555-0123). ';
const source =
  'for (let i = 0; i < 1024; i++) total += table[i * 4 + 2] * 0x1f; // see RFC 5322, 3.4.1\n';

/** Text as it is, and text made to make a matcher look at the same bytes again and again. */
const classes: Record<string, string> = {
  prose,
  source,
  'one long word': 'a',
  'one long number': '7',
  'digits apart': '1 ',
  'two digits apart': '12 ',
  'groups of four': '4111 ',
  'groups of three': '123 ',
  'nine digits': '123456782 ',
  'eleven digits': '52998224725 ',
  'twelve digits': '234123412346 ',
  'card numbers': '4111111111111111 ',
  'social security numbers': '123-45-6789 ',
  'dotted numbers': '1.1.1.1.',
  'IPv4 addresses': '93.184.216.34 ',
  'IPv6 addresses': '2001:4860:4860:0:0:0:0:8888 ',
  'local parts': `${'a'.repeat(64)}@`,
  'labels of a host': 'a@b.',
  'short hosts': 'a@b.c.d.e.f.g.h.',
  pluses: '+1',
  'international numbers': '+44 20 7946 0958 ',
  parentheses: '(212)',
  'account numbers': 'GB29 NWBK 6016 1331 9268 19 ',
  'words and numbers': 'phone 123456782 ',
  'words for everything': 'ssn bsn dni cpf phone passport born ip ',
  wallets: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT ',
  'dates of birth': 'born 12 March 1985 ',
  passports: 'passport AB1234567 ',
  ideographs: '身份证电话',
  'Finnish codes': '131052-308T ',
};

const work = Object.entries(classes).map(([name, unit]) => {
  const text = unit.repeat(Math.ceil(20_000 / unit.length));
  return { name, text, perByte: steps(text) / Buffer.byteLength(text) };
});

for (const { name, text } of work) {
  test(`twice the text is at most twice the work: ${name}`, () => {
    assert.ok(steps(text + text) <= steps(text) * 2.05);
  });
}

test('the worst text costs at most forty times the median, for each byte', () => {
  const sorted = work.toSorted((a, b) => a.perByte - b.perByte);
  const median = sorted[sorted.length >> 1]!;
  const worst = sorted.at(-1)!;
  const message = `${worst.name}: ${worst.perByte.toFixed(1)}, median ${median.perByte.toFixed(1)}`;
  assert.ok(worst.perByte <= median.perByte * 40, message);
});

test('prose and source cost little more than one look at each byte', () => {
  for (const { name, perByte } of work.slice(0, 2)) {
    assert.ok(perByte <= 12, `${name}: ${perByte.toFixed(1)}`);
  }
});

test.run();
