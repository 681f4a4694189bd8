// Which sentences are read, and that nothing else is: a sentence misread proves something else.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { InputError } from '../../../runtime/errors.ts';
import { noteOf, readProperty } from './property.ts';

test('reads each form, with the boundary that it is about', () => {
  assert.equal(readProperty(' no identity  outside tenant acme reaches service pay '), {
    text: 'no identity outside tenant acme reaches service pay',
    boundary: 'tool',
    kind: 'tenant_only',
    tenant: 'acme',
    service: 'pay',
  });
  assert.is(readProperty('agents a and b share no service at mesh').boundary, 'mesh');
  assert.equal(readProperty('agents a and t/b cannot talk'), {
    text: 'agents a and t/b cannot talk',
    boundary: 'message',
    kind: 'no_talk',
    agents: ['a', 't/b'],
  });
  for (const [names, agents] of [
    ['a', ['a']],
    ['a, b', ['a', 'b']],
    ['a,b', ['a', 'b']],
    ['a, b and c', ['a', 'b', 'c']],
  ] as const) {
    const property = readProperty(`only ${names} reach secret scope spiffe://td/*`);
    assert.is(property.boundary, 'secret');
    assert.equal(property.kind === 'only_scope' && property.agents, agents);
    assert.is(property.kind === 'only_scope' && property.scope, 'spiffe://td/*');
  }
  assert.equal(readProperty('every allow of mesh carries control NIST:AC-3'), {
    text: 'every allow of mesh carries control NIST:AC-3',
    boundary: 'mesh',
    kind: 'carries_control',
    control: 'NIST:AC-3',
  });
});

const refused = (sentence: string) => {
  try {
    readProperty(sentence);
  } catch (error) {
    return error as InputError;
  }
  throw new Error(sentence);
};

test('refuses what is not quite a sentence, with the form that was meant', () => {
  for (const sentence of [
    'no identity outside tenant acme reaches service',
    'no identity outside tenant acme reaches service pay now',
    'no identity inside tenant acme reaches service pay',
    'no one outside acme reaches pay',
  ]) {
    assert.is(
      refused(sentence).hint,
      'write it as: no identity outside tenant T reaches service S [at BOUNDARY]',
    );
  }
  assert.match(
    refused('agents a and b share any service').hint!,
    /share no service.*\n.*cannot talk/,
  );
  assert.match(refused('only a b reach secret scope s').hint!, /only A, B/);
  assert.match(refused('only reach secret scope s').hint!, /only A, B/);
  assert.match(refused('every allow of mesh carries control C at tool').hint!, /every allow/);
  assert.match(refused('').hint!, /no identity[\s\S]*every allow/);
  assert.is(refused('x'.repeat(5000)).code, 'input_invalid');
});

test('reads no other text than one of the forms, whatever the words', () => {
  const word = fc.constantFrom(
    'no',
    'identity',
    'outside',
    'tenant',
    'a',
    'reaches',
    'service',
    'at',
    'agents',
    'and',
    'share',
    'cannot',
    'talk',
    'only',
    'reach',
    'secret',
    'scope',
    'every',
    'allow',
    'of',
    'carries',
    'control',
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 11 }), (words) => {
      let read: ReturnType<typeof readProperty>;
      try {
        read = readProperty(words.join(' '));
      } catch (error) {
        assert.is((error as InputError).code, 'input_invalid');
        return;
      }
      const forms = [
        /^no identity outside tenant \S+ reaches service \S+( at \S+)?$/,
        /^agents \S+ and \S+ (share no service|cannot talk)( at \S+)?$/,
        /^only .+ reach secret scope \S+( at \S+)?$/,
        /^every allow of \S+ carries control \S+$/,
      ];
      assert.ok(
        forms.some((form) => form.test(read.text)),
        read.text,
      );
    }),
    { numRuns: 2000 },
  );
});

test('refuses every character that is not printable ASCII, wherever it stands', () => {
  const sentence = 'agents a and b share no service';
  for (const bad of ['\u200b', '\u043e', '\x1b[2K', '\x7f', '\u00a0', '\u202e', '\n', '\ud800']) {
    for (const at of [0, 8, sentence.length]) {
      const text = sentence.slice(0, at) + bad + sentence.slice(at);
      assert.is(refused(text).code, 'sentence_characters', JSON.stringify(text));
    }
  }
});

test('says of a sentence about a scope that reads are not covered, and of no other', () => {
  assert.match(noteOf(readProperty('only a reach secret scope s'))!, /^reads are not covered/);
  assert.is(noteOf(readProperty('agents a and b share no service')), undefined);
});

test.run();
