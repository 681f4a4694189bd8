// Tests of the guard module and its host: what each scanner finds, what it leaves alone, and its bounds.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InputError } from '../errors.ts';
import type { GuardDirection, ScannerName } from './guard.ts';
import { Guard, guardTextBytesMax, scanners } from './guard.ts';
import { moduleBytes } from './source.ts';

const guard = Guard.create(moduleBytes('guard'));

function refused(run: () => unknown, code: string): void {
  try {
    run();
  } catch (error) {
    assert.instance(error, InputError);
    assert.is((error as InputError).code, code);
    return;
  }
  assert.unreachable(`not refused with ${code}`);
}

function find(text: string, names: ScannerName[], direction: GuardDirection = 'input') {
  return guard.scan({ direction, scanners: names, text });
}

test('a clean text is allowed by every scanner', () => {
  for (const { name, directions } of scanners) {
    for (const direction of directions) {
      // What some of them compare a text with.
      const facts = {
        ...{ prompt: 'How is the weather in Berlin?', topics: { forbidden: ['medicine'] } },
        ...{ tokens_max: 7, observed: { tokens: { count: 7, encoding: 'cl100k_base' } } },
      };
      const text = 'The weather in Berlin is fine.';
      const { scores, ...rest } = guard.scan({ direction, scanners: [name], text, ...facts });
      assert.equal(rest, { allow: true, findings: [], truncated: false });
      assert.equal(Object.keys(scores), [name]);
    }
  }
});

test('findings carry byte offsets, not the value', () => {
  const address = 'jo@example.com';
  const text = `é ${address} 𝄞 ${address}`;
  const result = guard.scanBytes(
    Buffer.from(JSON.stringify({ direction: 'output', scanners: ['PII'], text })),
  );
  assert.is(
    Buffer.from(result).toString(),
    '{"allow":false,"findings":[' +
      '{"end":17,"kind":"email","scanner":"PII","score":1000,"start":3},' +
      '{"end":37,"kind":"email","scanner":"PII","score":1000,"start":23}],' +
      '"scores":{"PII":1000},"truncated":false}',
  );
});

test('scanners that were not asked for report nothing', () => {
  const text = 'a\u200bb jo@example.com';
  assert.equal(
    find(text, ['PII']).findings.map((finding) => finding.scanner),
    ['PII'],
  );
  assert.equal(
    find(text, ['InvisibleText']).findings.map((finding) => finding.scanner),
    ['InvisibleText'],
  );
  assert.is(find(text, ['Secrets']).allow, true);
});

test('findings of several scanners are sorted by start', () => {
  const result = find('a\u200b jo@example.com \u200b +44 20 7946 0958', ['PII', 'InvisibleText']);
  assert.equal(
    result.findings.map((finding) => finding.kind),
    ['zero_width', 'email', 'zero_width', 'phone'],
  );
});

test('more than 256 findings are cut, said so and denied; the first ones are kept', () => {
  const many = find('x@y.de '.repeat(1000), ['PII']);
  assert.is(many.allow, false);
  assert.is(many.truncated, true);
  assert.is(many.findings.length, 256);
  many.findings.forEach((finding, index) => {
    assert.is(finding.start, index * 7);
  });
  assert.is(find('x@y.de '.repeat(256), ['PII']).truncated, false);
  assert.is(find('x@y.de '.repeat(257), ['PII']).truncated, true);
});

test('unknown, repeated and missing scanners and unknown directions are refused', () => {
  const unknown = ['Politeness'] as unknown as ScannerName[];
  refused(() => find('x', unknown), 'input_invalid');
  refused(() => find('x', ['PII', 'PII']), 'input_invalid');
  refused(() => find('x', []), 'input_invalid');
  refused(() => find('x', ['PII'], 'sideways' as GuardDirection), 'input_invalid');
});

test('the module itself refuses what the host would', () => {
  for (const request of [
    '{"direction":"input","scanners":["Politeness"],"text":"x"}',
    '{"direction":"input","scanners":["PII","PII"],"text":"x"}',
    '{"direction":"input","scanners":[],"text":"x"}',
    '{"direction":"both","scanners":["PII"],"text":"x"}',
    '{"direction":"input","scanners":["PII"],"text":1}',
    '{"direction":"input","scanners":["PII"]}',
    '{"direction":"input","scanners":["PII"],"text":"x","more":1}',
    '{"direction":"input","scanners":"PII","text":"x"}',
    '{"direction":"input","scanners":["PII"],"text":"x","thresholds":{"PII":0}}',
    '{"direction":"input","scanners":["PII"],"text":"x","thresholds":{"PII":1.5}}',
    '{"direction":"input","scanners":["PII"],"text":"x","thresholds":{"None":1}}',
    '{"direction":"input","scanners":["PII"],"text":"x","source":"friend"}',
    '{"direction":"input","scanners":["PII"],"text":"x","canaries":[""]}',
    '{"direction":"input","scanners":["PII"],"text":"x","topics":{"some":[]}}',
    '{"direction":"input","scanners":["PII"],"text":"x","observed":{"tokens":{"count":1}}}',
    '{"direction":"input","scanners":["PII"],"text":"x","tokens_max":-1}',
    '[]',
    'null',
  ]) {
    refused(() => guard.scanBytes(Buffer.from(request)), 'input_invalid');
  }
  refused(() => guard.scanBytes(Buffer.from('{')), 'input_not_json');
  refused(() => guard.scanBytes(Buffer.from([0x22, 0xff, 0x22])), 'input_not_utf8');
});

test('half a surrogate pair is refused', () => {
  refused(() => find('a\ud800b', ['PII']), 'input_lone_surrogate');
  const raw = '{"direction":"input","scanners":["PII"],"text":"\\ud800"}';
  refused(() => guard.scanBytes(Buffer.from(raw)), 'input_lone_surrogate');
});

test('4 MiB of text is scanned, one byte more is refused', () => {
  const text = 'a'.repeat(guardTextBytesMax - 15);
  assert.is(find(`${text} jo@example.com`, ['PII', 'Secrets', 'InvisibleText']).findings.length, 1);
  refused(() => find('é'.repeat(guardTextBytesMax / 2 + 1), ['PII']), 'input_too_large');
  refused(() => find('a'.repeat(guardTextBytesMax + 1), ['PII']), 'input_too_large');
  // Quotes and controls grow when written as JSON; that is not counted.
  assert.is(find('"'.repeat(guardTextBytesMax), ['Secrets']).allow, true);
});

test('the answer does not depend on what was scanned before', () => {
  const texts = [
    'IBAN DE89 3704 0044 0532 0130 00',
    'jo@example.com',
    'password=hunter22',
    'a\u200b',
  ];
  const names: ScannerName[] = ['PII', 'Secrets', 'InvisibleText'];
  const fresh = texts.map((text) =>
    Guard.create(moduleBytes('guard')).scan({ direction: 'input', scanners: names, text }),
  );
  for (const again of [texts, texts.toReversed()]) {
    for (const text of again) assert.equal(find(text, names), fresh[texts.indexOf(text)]);
  }
});

test('a stream answers as the whole text does, and releases nothing after a finding', () => {
  const text = 'Mail é jo@example.com or 𝄞 password=hunter22 now';
  const names: ScannerName[] = ['PII', 'Secrets', 'InvisibleText'];
  const whole = find(text, names, 'output');
  for (const size of [1, 2, 3, 7, 100]) {
    const stream = guard.stream({ direction: 'output', scanners: names });
    const findings = [];
    let released = 0;
    for (let at = 0; at < text.length; at += size) {
      const isLast = at + size >= text.length;
      const result = stream.push(text.slice(at, at + size), isLast);
      findings.push(...result.findings);
      assert.ok(result.released >= released, 'what was released stays released');
      released = result.released;
    }
    assert.equal(findings, whole.findings);
    assert.ok(released <= whole.findings[0]!.start);
    assert.throws(() => stream.push('more'), /ended/);
  }
});

test('a stream refuses half a surrogate pair', () => {
  const options = { direction: 'output', scanners: ['PII'] } as const;
  refused(() => guard.stream(options).push('a\ud800', true), 'input_lone_surrogate');
});

test('more than 4 MiB in pieces is refused as in one', () => {
  const stream = guard.stream({ direction: 'output', scanners: ['PII', 'Secrets'] });
  const piece = 'All is well. '.repeat(5000);
  let left = guardTextBytesMax;
  for (; left > piece.length; left -= piece.length) assert.is(stream.push(piece).allow, true);
  refused(() => stream.push(piece), 'input_too_large');
});

test.run();
