// Tests of topics, relevance and token limits: what is found, that pieces change nothing, that work is bounded.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../../../runtime/errors.ts';
import { Guard, type GuardOptions, type GuardRequest } from '../../../runtime/modules/guard.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';

const bytes = moduleBytes('guard');
const guard = Guard.create(bytes);

const medicine = 'medicine, health, diseases and their treatment';
const baseball = 'baseball and its players, teams and games';
const surgeon =
  'The surgeon removed the tumor and prescribed antibiotics for the infection. After two weeks the patient had ' +
  'no fever, and the physician in the hospital stopped the treatment. ';
const pitcher =
  'The pitcher threw nine innings and the team won the game. In the last inning the batter hit a home run, and ' +
  'the players of the other club left the field. ';

function found(request: Omit<GuardRequest, 'direction'>): { kinds: string[]; score: number } {
  const { findings, scores } = guard.scan({ direction: 'output', ...request });
  return { kinds: findings.map(({ kind }) => kind), score: scores[request.scanners[0]!]! };
}

const topics = (text: string, lists: GuardOptions['topics']) =>
  found({ scanners: ['TopicBoundary'], text, topics: lists });

test('a forbidden topic is found by its words and by words of its field', () => {
  assert.equal(topics('Who won the baseball game?', { forbidden: [baseball] }).kinds, [
    'forbidden_topic',
  ]);
  assert.equal(topics(surgeon, { forbidden: [medicine] }).kinds, ['forbidden_topic']);
  assert.equal(topics(surgeon, { forbidden: [baseball] }).kinds, []);
  assert.equal(topics(pitcher, { forbidden: [medicine] }).kinds, []);
  assert.ok(topics(surgeon, { forbidden: [baseball, medicine] }).kinds.length > 0);
});

test('a forbidden topic in the middle of a long text is found where it stands', () => {
  const text = pitcher.repeat(20) + surgeon.repeat(6) + pitcher.repeat(20);
  const { findings } = guard.scan({
    ...{ direction: 'input', scanners: ['TopicBoundary'], text, topics: { forbidden: [medicine] } },
  });
  assert.ok(findings.length > 0);
  for (const { start, end } of findings) {
    assert.ok(start >= 20 * pitcher.length - 252);
    assert.ok(end <= 20 * pitcher.length + 6 * surgeon.length + 4 * 252);
  }
});

test('a text about none of the allowed topics is off topic; one about any of them is not', () => {
  const long = pitcher.repeat(4);
  assert.equal(topics(long, { allowed: [baseball] }).kinds, []);
  assert.equal(topics(long, { allowed: ['chemistry of acids and salts', baseball] }).kinds, []);
  assert.ok(
    topics(long, { allowed: ['chemistry of acids and salts'] }).kinds.includes('off_topic'),
  );
  // Too little to tell.
  assert.equal(topics('Hello!', { allowed: ['chemistry of acids and salts'] }).kinds, []);
});

test('words of other languages and scripts are compared as they are written', () => {
  const german = 'Der Arzt hat die Behandlung der Krankheiten abgebrochen.';
  assert.equal(topics(german, { forbidden: ['Ärzte, Krankheit, Behandlung'] }).kinds, [
    'forbidden_topic',
  ]);
  const chinese = '昨天的棒球比赛谁赢了？';
  assert.equal(topics(chinese, { forbidden: ['棒球比赛'] }).kinds, ['forbidden_topic']);
  assert.equal(topics(chinese, { forbidden: ['医学治疗'] }).kinds, []);
});

test('a response that has nothing to do with its prompt is irrelevant', () => {
  const relevance = (prompt: string, text: string) =>
    found({ scanners: ['Relevance'], prompt, text }).kinds;
  const prompt = 'How did the surgeon treat the infection of the patient in the hospital?';
  assert.equal(relevance(prompt, surgeon), []);
  const list =
    'const value = parse(buffer); if (value === undefined) throw failure(offset, name); ';
  assert.equal(relevance(prompt, `${list}The loop then writes each row of the table to a file.`), [
    'irrelevant',
  ]);
  assert.equal(relevance(prompt, 'Yes.'), []);
  assert.equal(relevance('', pitcher), []);
});

test('what a scanner compares with must be there', () => {
  const refused = (request: Omit<GuardRequest, 'direction' | 'text'>) => {
    try {
      guard.scan({ direction: 'output', text: 'x', ...request });
    } catch (error) {
      return codeOf(error);
    }
    return 'scanned';
  };
  const tokens = { count: 5, encoding: 'o200k_base' };
  assert.is(refused({ scanners: ['Relevance'] }), 'input_invalid');
  assert.is(refused({ scanners: ['TopicBoundary'] }), 'input_invalid');
  assert.is(refused({ scanners: ['TopicBoundary'], topics: { forbidden: [] } }), 'input_invalid');
  assert.is(refused({ scanners: ['TokenLimit'], tokens_max: 5 }), 'input_invalid');
  assert.is(refused({ scanners: ['TokenLimit'], observed: { tokens } }), 'input_invalid');
  assert.is(refused({ scanners: ['TokenLimit'], tokens_max: 5, observed: { tokens } }), 'scanned');
});

test('one token over the limit is one too many, for a text in pieces too', () => {
  const options = (count: number): GuardOptions => ({
    ...{ direction: 'input', scanners: ['TokenLimit'], tokens_max: 5 },
    observed: { tokens: { count, encoding: 'cl100k_base' } },
  });
  assert.ok(guard.scan({ ...options(5), text: 'some text' }).allow);
  assert.equal(guard.scan({ ...options(6), text: 'some text' }).findings, [
    { scanner: 'TokenLimit', kind: 'too_many_tokens', score: 1000, start: 0, end: 0 },
  ]);
  const stream = guard.stream(options(6));
  assert.is(stream.push('some ').released, 0);
  assert.equal(stream.push('text', true).findings, []);
});

const piece = fc.oneof(
  fc.constantFrom(surgeon, pitcher, '棒球比赛', 'Äußerungen über Bäume. ', '👩‍👩‍👧 ', '\n\n', ' '),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 60 }).map((text) => text.toWellFormed()),
  fc.tuple(fc.constantFrom('a', 'é', '漢', ' ', '.'), fc.nat(700)).map(([c, n]) => c.repeat(n)),
);
const anyText = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join('').toWellFormed());
const asked: GuardOptions = {
  ...{ direction: 'output', scanners: ['Relevance', 'TopicBoundary'] },
  thresholds: { Relevance: 1, TopicBoundary: 1 },
  prompt: 'Who treated the patient in the hospital, and when did the fever stop?',
  topics: { allowed: ['棒球', baseball], forbidden: [medicine, 'Bäume und Wälder'] },
};

test('any split of any text gives the findings of the whole, and nothing is shown before it', () => {
  const cuts = fc.array(fc.nat(4000), { maxLength: 12 });
  fc.assert(
    fc.property(anyText, cuts, (text, places) => {
      const whole = guard.scan({ ...asked, text });
      const stream = guard.stream(asked);
      const ends = [...new Set(places.map((place) => place % (text.length + 1)))];
      const sorted = ends.sort((a, b) => a - b);
      const findings = [];
      let released = 0;
      let from = 0;
      for (const end of [...sorted, text.length]) {
        const isLast = end === text.length;
        const answer = stream.push(text.slice(from, end), isLast);
        for (const finding of answer.findings) assert.ok(finding.start >= released);
        findings.push(...answer.findings);
        released = answer.released;
        from = end;
        if (isLast) break;
      }
      assert.equal(findings, whole.findings);
    }),
    { numRuns: 400 },
  );
});

test('what is held back is less than a block of 252 bytes', () => {
  const stream = guard.stream({ ...asked, thresholds: { Relevance: 1000, TopicBoundary: 1000 } });
  const text = (pitcher + 'x'.repeat(300)).repeat(8);
  for (let end = 1; end < text.length; end++) {
    const { released, findings } = stream.push(text[end - 1]!);
    assert.equal(findings, []);
    assert.ok(end - released < 252);
  }
});

test('the work grows with the text and not faster, with as many topics as there may be', () => {
  const exports = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports as Record<
    string,
    never
  > & { memory: WebAssembly.Memory };
  const global = (name: string) => (exports[name] as unknown as WebAssembly.Global<'i32'>).value;
  const list = Array.from(
    { length: 64 },
    (_, i) => `${medicine} ${baseball} topic${i} word${i * 7}`,
  );
  const steps = (text: string) => {
    const lists = { topics: { allowed: list, forbidden: list } };
    const request = Buffer.from(JSON.stringify({ ...asked, ...lists, text }));
    const call = (name: string, ...given: number[]): number =>
      (exports[name] as unknown as (...given: number[]) => number)(...given);
    const pointer = call('reserve', request.length) >>> 0;
    new Uint8Array(exports.memory.buffer).set(request, pointer);
    assert.is(call('scan', pointer, request.length), 0);
    return global('platform_budget') - global('platform_steps');
  };
  for (const unit of [surgeon, 'ab ', '漢', 'a', ' ', '\u0301', 'é.']) {
    const text = unit.repeat(Math.ceil(60_000 / unit.length));
    const once = steps(text);
    const nothing = steps('');
    assert.ok(steps(text + text) - nothing <= 2.2 * (once - nothing), unit);
  }
});

test.run();
