// Which scanners run, and the shape of what they answer: real module, and every number within its bounds.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Guard, type ScannerName, scanners } from '../modules/guard.ts';
import { moduleBytes } from '../modules/source.ts';
import { sampleGithubToken } from '../testing/tokens.ts';
import { scannersFor, scanResult, scanScores, thresholdOf, unknownScanners } from './pipeline.ts';
import { maskedPreview } from './preview.ts';

const guard = Guard.create(moduleBytes('guard'));
const built = scanners.map(({ name }) => name);
const token = sampleGithubToken();

test('only built scanners run, each once, and only where they have something to judge', () => {
  for (const direction of ['input', 'output'] as const) {
    const wanted = scannersFor({ direction });
    assert.is(new Set(wanted).size, wanted.length);
    assert.equal(unknownScanners(wanted), []);
    for (const name of ['Relevance', 'TokenLimit', 'TopicBoundary'] as const) {
      assert.not.ok(wanted.includes(name), name);
    }
    for (const name of ['InvisibleText', 'PII', 'Secrets'] as const)
      assert.ok(wanted.includes(name));
    const facts = { direction, prompt: 'p', topics: { allowed: ['a'] }, tokens_max: 5 };
    for (const name of scannersFor(facts)) {
      assert.ok(scanners.find((one) => one.name === name)?.directions.includes(direction), name);
    }
  }
  assert.equal(scannersFor({ direction: 'input' }, ['Secrets', 'PII']), ['PII', 'Secrets']);
  assert.equal(scannersFor({ direction: 'input' }, []), []);
  assert.equal(unknownScanners(['PII', 'pii', 'constructor', '']), ['pii', 'constructor', '']);
});

test('a clean text has no scanners in its result', () => {
  const request = { direction: 'input' as const, scanners: scannersFor({ direction: 'input' }) };
  const result = guard.scan({ ...request, text: 'What is the weather like?' });
  assert.equal(scanResult(request, result), { is_valid: true, scanners: {} });
  assert.equal(Object.keys(scanScores(request.scanners, result)), request.scanners);
});

test('findings stand under their scanner with scores from 0 to 1 and never hold the value', () => {
  const words = fc.constantFrom(token, 'ada@example.org', '\u202e', 'hello', '4111 1111 1111 1111');
  fc.assert(
    fc.property(fc.array(words, { maxLength: 6 }), (parts) => {
      const text = parts.join(' ');
      const wanted: ScannerName[] = ['PII', 'Secrets', 'InvisibleText'];
      const request = { direction: 'output' as const, scanners: wanted, thresholds: { PII: 900 } };
      const result = guard.scan({ ...request, text });
      const shown = scanResult(request, result);
      assert.is(shown.is_valid, result.findings.length === 0);
      const matches = Object.values(shown.scanners).flatMap((detail) => detail.matches);
      assert.is(matches.length, result.findings.length);
      for (const [name, detail] of Object.entries(shown.scanners)) {
        assert.ok(detail.score > 0 && detail.score <= 1 && detail.score >= detail.threshold);
        assert.is(detail.threshold, thresholdOf(name as ScannerName, request.thresholds) / 1000);
        assert.is(detail.score, Math.max(...detail.matches.map(({ score }) => score)));
      }
      for (const score of Object.values(scanScores(wanted, result))) {
        assert.ok(score >= 0 && score <= 1);
      }
      const json = JSON.stringify(shown);
      for (const part of parts) if (part !== 'hello') assert.not.ok(json.includes(part));
    }),
    { numRuns: 200 },
  );
});

test('what the decision says is what is_valid says', () => {
  const request = { direction: 'input' as const, scanners: built };
  const result = guard.scan({ direction: 'input', scanners: ['Secrets'], text: token });
  assert.is(scanResult(request, result).is_valid, false);
  assert.is(scanResult(request, result, true).is_valid, true);
  assert.is(Object.keys(scanResult(request, result, true).scanners).length, 1);
});

test('a preview shows at most four characters, and none that is not the format’s own', () => {
  assert.is(maskedPreview('Secrets', token), 'ghp_********');
  assert.is(maskedPreview('PII', 'ghp_ada@example.org'), '********');
  fc.assert(
    fc.property(fc.string(), fc.constantFrom(...built), (value, scanner) => {
      const preview = maskedPreview(scanner, value);
      assert.match(preview, /^[^*]{0,4}\*{8}$/);
      // Two values that differ behind the fixed beginning look alike.
      assert.is(maskedPreview(scanner, token + value), maskedPreview(scanner, token));
    }),
  );
});

test.run();
