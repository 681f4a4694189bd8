// The text of the SPIFFE-ID standard, section 2, rule by rule, and IDs that miss it by a single edit.
// https://github.com/spiffe/spiffe/blob/main/standards/SPIFFE-ID.md#2-spiffe-identity
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf, type ErrorCode } from '../errors.ts';
import { Scope } from './scope.ts';
import { moduleBytes } from './source.ts';

const scope = Scope.create(moduleBytes('scope'));

function judge(id: string): ErrorCode | 'valid' {
  try {
    scope.parse(id);
    return 'valid';
  } catch (error) {
    return codeOf(error);
  }
}

interface Rule {
  /** The sentence of the standard, shortened. */
  text: string;
  keeps: string[];
  breaks: [string, ErrorCode][];
}

const longestDomain = 'd'.repeat(255);
const rules: Rule[] = [
  {
    text: '2: the scheme is spiffe',
    keeps: ['spiffe://trust-domain-name/path'],
    breaks: [
      ...(['spiff://td/a', 'spiffes://td/a', 'http://td/a', 'td/a', '/a', 'spiffe'] as const),
      ...(['spiffe:td/a', 'spiffe:/td/a', 'spiffe;//td/a', 'spiffe:\\\\td/a', '://td/a'] as const),
      // Section 2.4 calls the scheme case-insensitive; SVIDs carry it in lower case, as go-spiffe wants.
      ...(['SPIFFE://td/a', 'Spiffe://td/a', 'spiffE://td/a'] as const),
    ].map((id) => [id, 'spiffe_scheme_wrong']),
  },
  {
    text: '2: a trust domain name that is not empty',
    keeps: ['spiffe://t'],
    breaks: [
      ['spiffe://', 'spiffe_trust_domain_missing'],
      ['spiffe:///', 'spiffe_trust_domain_missing'],
      ['spiffe:///path', 'spiffe_trust_domain_missing'],
    ],
  },
  {
    text: '2: no query',
    keeps: [],
    breaks: [
      ['spiffe://td?', 'spiffe_query'],
      ['spiffe://td/a?b=c', 'spiffe_query'],
      ['spiffe://td/a/?', 'spiffe_query'],
    ],
  },
  {
    text: '2: no fragment',
    keeps: [],
    breaks: [
      ['spiffe://td#', 'spiffe_fragment'],
      ['spiffe://td/a#b', 'spiffe_fragment'],
    ],
  },
  {
    text: '2: the path is optional',
    keeps: ['spiffe://td', 'spiffe://td/a', 'spiffe://td/a/b/c/d/e/f'],
    breaks: [],
  },
  {
    text: '2.1: no user info',
    keeps: [],
    breaks: [
      ['spiffe://user@td/a', 'spiffe_user_info'],
      ['spiffe://@td/a', 'spiffe_user_info'],
      ['spiffe://td@/a', 'spiffe_user_info'],
    ],
  },
  {
    text: '2.1: no port',
    keeps: [],
    breaks: [
      ['spiffe://td:443/a', 'spiffe_port'],
      ['spiffe://td:/a', 'spiffe_port'],
      ['spiffe://:443/a', 'spiffe_port'],
    ],
  },
  {
    text: '2.1: lower case only',
    keeps: ['spiffe://lower'],
    breaks: [...'AMZ'].map((letter) => [`spiffe://t${letter}d/a`, 'spiffe_trust_domain_character']),
  },
  {
    text: '2.1: letters, numbers, dots, dashes and underscores',
    keeps: ['spiffe://a.b-c_d.0123456789', 'spiffe://-', 'spiffe://..', 'spiffe://_/a'],
    breaks: [...'!$&\'()+,;=~"<>[]\\^`{|} \t\0é\u{1f600}'].map((character) => [
      `spiffe://t${character}d/a`,
      'spiffe_trust_domain_character',
    ]),
  },
  {
    text: '2.1: nothing percent-encoded',
    keeps: [],
    breaks: [
      ['spiffe://t%64/a', 'spiffe_percent_encoding'],
      ['spiffe://%/a', 'spiffe_percent_encoding'],
    ],
  },
  {
    text: '2.1: IPv4 addresses are names like any other, IPv6 addresses are none',
    keeps: ['spiffe://127.0.0.1/a', 'spiffe://999.0.0.1/a'],
    breaks: [
      ['spiffe://[::1]/a', 'spiffe_trust_domain_character'],
      ['spiffe://::1/a', 'spiffe_port'],
    ],
  },
  {
    text: '2.2: nothing percent-encoded',
    keeps: [],
    breaks: [
      ['spiffe://td/%61', 'spiffe_percent_encoding'],
      ['spiffe://td/a%2Fb', 'spiffe_percent_encoding'],
      ['spiffe://td/%2e%2e', 'spiffe_percent_encoding'],
    ],
  },
  {
    text: '2.2: no empty segments',
    keeps: [],
    breaks: [
      ['spiffe://td//a', 'spiffe_path_empty_segment'],
      ['spiffe://td/a//b', 'spiffe_path_empty_segment'],
      ['spiffe://td////b', 'spiffe_path_empty_segment'],
    ],
  },
  {
    text: '2.2: no relative path modifiers',
    keeps: ['spiffe://td/...', 'spiffe://td/.a', 'spiffe://td/..a', 'spiffe://td/a./b..'],
    breaks: [
      ['spiffe://td/.', 'spiffe_path_dot_segment'],
      ['spiffe://td/..', 'spiffe_path_dot_segment'],
      ['spiffe://td/./a', 'spiffe_path_dot_segment'],
      ['spiffe://td/a/../b', 'spiffe_path_dot_segment'],
    ],
  },
  {
    text: '2.2: no trailing slash',
    keeps: [],
    breaks: [
      ['spiffe://td/', 'spiffe_path_trailing_slash'],
      ['spiffe://td/a/b/', 'spiffe_path_trailing_slash'],
    ],
  },
  {
    text: '2.2: letters of both cases, numbers, dots, dashes and underscores',
    keeps: ['spiffe://td/aZ09.-_/Path'],
    breaks: [...'!$&\'()+,;=:@~"<>[]\\^`{|} \t\0é\u{1f600}'].map((character) => [
      `spiffe://td/a${character}b`,
      'spiffe_path_character',
    ]),
  },
  {
    text: '2.3: at most 2048 bytes, of which at most 255 are the trust domain name',
    keeps: [`spiffe://${longestDomain}/a`, `spiffe://td/${'x'.repeat(2036)}`],
    breaks: [
      [`spiffe://td/${'x'.repeat(2037)}`, 'spiffe_id_too_long'],
      [`spiffe://${longestDomain}d/a`, 'spiffe_trust_domain_too_long'],
      [`spiffe://${longestDomain}d`, 'spiffe_trust_domain_too_long'],
      [`spiffe://td/${'é'.repeat(1019)}`, 'spiffe_id_too_long'],
    ],
  },
];

test('every rule of the standard, kept and broken', () => {
  for (const { text, keeps, breaks } of rules) {
    for (const id of keeps) assert.is(judge(id), 'valid', `${text}: ${id.slice(0, 60)}`);
    for (const [id, code] of breaks) assert.is(judge(id), code, `${text}: ${id.slice(0, 60)}`);
  }
});

const pathUnit = fc.constantFrom(...'abzABZ059.-_');
const segment = fc
  .string({ unit: pathUnit, minLength: 1, maxLength: 8 })
  .filter((text) => text !== '.' && text !== '..');
const domain = fc.string({ unit: fc.constantFrom(...'abz059.-_'), minLength: 1, maxLength: 12 });
const segments = fc.array(segment, { minLength: 1, maxLength: 5 });

/** One edit that breaks exactly one rule of a valid ID, at a place of the test's choosing. */
const edits: Record<string, (parts: Parts, at: number, pick: string) => string> = {
  spiffe_scheme_wrong: ({ name, path }, at) => {
    const scheme = 'spiffe://';
    const where = at % scheme.length;
    return `${scheme.slice(0, where)}${scheme.slice(where + 1)}${name}/${path.join('/')}`;
  },
  spiffe_trust_domain_missing: ({ path }) => `spiffe:///${path.join('/')}`,
  spiffe_trust_domain_character: ({ name, path }, at, pick) =>
    `spiffe://${put(name, at, pick)}/${path.join('/')}`,
  spiffe_trust_domain_too_long: ({ name, path }) =>
    `spiffe://${name.padEnd(256, 'x')}/${path.join('/')}`,
  spiffe_user_info: ({ name, path }, at) => `spiffe://${put(name, at, '@')}/${path.join('/')}`,
  spiffe_port: ({ name, path }, at) => `spiffe://${put(name, at, ':')}/${path.join('/')}`,
  spiffe_query: (parts, at) => anywhere(parts, at, '?'),
  spiffe_fragment: (parts, at) => anywhere(parts, at, '#'),
  spiffe_percent_encoding: (parts, at) => anywhere(parts, at, '%41'),
  spiffe_wildcard: (parts, at) => anywhere(parts, at, '*'),
  spiffe_path_character: ({ name, path }, at, pick) =>
    `spiffe://${name}/${put(path.join('/'), at, pick === 'Z' ? '~' : pick)}`,
  spiffe_path_empty_segment: ({ name, path }, at) =>
    `spiffe://${name}/${path.toSpliced(at % path.length, 0, '').join('/')}`,
  spiffe_path_dot_segment: ({ name, path }, at) =>
    `spiffe://${name}/${path.toSpliced(at % (path.length + 1), 0, at % 2 ? '.' : '..').join('/')}`,
  spiffe_path_trailing_slash: ({ name, path }) => `spiffe://${name}/${path.join('/')}/`,
  spiffe_id_too_long: ({ name, path }) => `spiffe://${name}/${path.join('/')}`.padEnd(2049, 'x'),
};

interface Parts {
  name: string;
  path: string[];
}

function put(text: string, at: number, what: string): string {
  const where = at % (text.length + 1);
  return text.slice(0, where) + what + text.slice(where);
}

/** Within the trust domain name or the path: both are there. */
function anywhere({ name, path }: Parts, at: number, what: string): string {
  return `spiffe://${put(`${name}/${path.join('/')}`, at, what)}`;
}

test('one edit of a valid ID breaks the rule that it is about, and says so', () => {
  // Forbidden in both parts, and without a rule of its own; `Z` is forbidden in names only.
  const pick = fc.constantFrom(...'!$&\'()+,;=~"<>[]\\^`{|} \t\0éZ');
  fc.assert(
    fc.property(domain, segments, fc.nat(), pick, (name, path, at, character) => {
      const id = `spiffe://${name}/${path.join('/')}`;
      assert.is(judge(id), 'valid', id);
      for (const [code, edit] of Object.entries(edits)) {
        const broken = edit({ name, path }, at, character);
        assert.is(judge(broken), code, JSON.stringify(broken));
      }
    }),
    { numRuns: 3000 },
  );
});

test('every rule has its near miss', () => {
  const codes = new Set(rules.flatMap(({ breaks }) => breaks.map(([, code]) => code)));
  for (const code of codes) assert.ok(code in edits, code);
});

test.run();
