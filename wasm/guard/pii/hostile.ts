// What the tests of the PII scanner make hostile text of: pieces of every format, so that random joins come close to each.

import fc from 'fast-check';

const pieces = [
  ...['jo@example.com', '@', 'a.b.', '+44 20 7946 0958', '+1', '(212) 555-0123', '(', ')', '00'],
  ...[
    '4111 1111 1111 1111',
    '4111111111111111',
    'GB29 NWBK 6016 1331 9268 19',
    'GB29',
    '123-45-6789',
  ],
  ...[
    'AB 12 34 56 C',
    'AB123456C',
    'March 12, 1985',
    '12 March 1985',
    '1985-03-12',
    '1985年3月12日',
  ],
  ...['8.8.4.4', '93.184.216.34', '2a00:1450:4001:81b::200e', '0x', '\\n', '\\u00e9', '\\', '"'],
  ...['52908400098527886E0F7030069857D2E4169EE7', '1BoatSLRHtKNngkdXEeobR76b53LETtpyT', 'bc1'],
  ...['RSSMRA85T10A562S', 'ABCPE1234F', 'S1234567D', 'X1234567L', '12345678Z', '131052-308T'],
  ...[
    'phone ',
    'Tel: ',
    'ssn ',
    'social security ',
    'bsn ',
    'passport ',
    'born ',
    'téléphone ',
    'é',
  ],
  ...[
    '身份证',
    '电话',
    ' ',
    '  ',
    '.',
    '-',
    '/',
    ',',
    '\n',
    '\u00a0',
    '\u2011',
    '\u2003',
    '👩',
    ':',
    '::',
  ],
];

/** Text of up to `most` pieces. */
export function hostile(most: number): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...pieces) },
    { weight: 2, arbitrary: fc.stringMatching(/^[0-9 .\-/]{0,20}$/) },
    fc.stringMatching(/^[0-9]{1,19}$/),
    fc.stringMatching(/^[A-Za-z0-9_\-.+@]{0,70}$/),
    fc.string({ unit: 'binary', maxLength: 8 }).map((text) => text.toWellFormed()),
  );
  return fc.array(piece, { maxLength: most }).map((all) => all.join('').toWellFormed());
}
