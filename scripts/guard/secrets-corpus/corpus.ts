// Credentials in the places where people leave them, and texts that only look like credentials.
import { Random } from '../../../test/guard-fuzz/generator.ts';
import { characters, example, type Format, readFormats } from './formats.ts';

export interface Example {
  /** The kind of the credential in the text; undefined for a text that has none. */
  kind?: string;
  text: string;
  /** Where the credential begins and ends, in UTF-8; absent for a text that has none. */
  start?: number;
  end?: number;
  /** What sort of look-alike this is. */
  family?: string;
}

type Place = (name: string, value: string) => string;

/** Where a credential that has a name stands. */
const NAMED: readonly Place[] = [
  (name, value) => `# production\n${name}=${value}\nPORT=8080\n`,
  (name, value) => `export ${name}="${value}"`,
  (name, value) => `env:\n  - name: OTHER\n    value: x\n  ${name}: ${value}\n`,
  (name, value) => `  "${name}": "${value}",\n`,
  (name, value) => `const settings = { ${camel(name)}: '${value}' };`,
  (name, value) => `os.environ["${name}"] = "${value}"`,
  (name, value) => `${name.toLowerCase()} = "${value}"  # do not commit`,
  (name, value) => JSON.stringify({ body: `${name}=${value}\nnext` }),
  (name, value) => `docker run -e ${name}=${value} acme/app`,
  (name, value) => `{"msg":"started","${name.toLowerCase()}":"${value}"}`,
];
/** Where one that speaks for itself stands besides. */
const ANYWHERE: readonly Place[] = [
  (_, value) => `the key is ${value}, keep it`,
  (_, value) => `curl -H 'Authorization: Bearer ${value}' https://api.internal/v1`,
  (_, value) => `client = Client("${value}")`,
  (_, value) => `2026-11-21T10:00:00Z WARN retry with ${value} failed`,
  (_, value) => `<add key="Key" value="${value}" />`,
  (_, value) => `${value}\n`,
];

function camel(name: string): string {
  return name.toLowerCase().replace(/[_-]([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** `perFormat` true examples of every format; the same seed gives the same texts. */
export function trueExamples(perFormat: number, seed: number): Example[] {
  const random = new Random(seed);
  return readFormats().flatMap((format) =>
    Array.from({ length: perFormat }, (_, number) => placed(format, number, random)),
  );
}

function placed(format: Format, number: number, random: Random): Example {
  const value = example(format, random);
  const isWhole = /[ \n:]|^[a-z]+:\/\//.test(value);
  const places = format.names.length > 0 ? NAMED : [...NAMED, ...ANYWHERE];
  const name = format.names.length > 0 ? random.pick(format.names) : 'ACME_SETTING';
  const place = places[(number * 7 + random.below(places.length)) % places.length]!;
  // What has spaces or lines of its own stands as it is.
  const text = isWhole && format.names.length === 0 ? `first\n${value}\nlast` : place(name, value);
  const at = text.indexOf(value);
  // JSON within JSON escapes what it holds.
  if (at < 0) return placed(format, number + 1, random);
  const start = Buffer.byteLength(text.slice(0, at));
  return { kind: format.kind, text, start, end: start + Buffer.byteLength(value) };
}

const HEX = '0123456789abcdef';
const ALNUM = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const B64 = `${ALNUM}+/`;
const WORDS =
  'user order table customer invoice report session widget gateway cluster region bucket'.split(
    ' ',
  );

/** Kinds all of whose formats have one length: shorter is something else. */
const FIXED = new Set(
  'google_api_key aws_access_key_id shopify_token twilio_key digitalocean_token databricks_token replicate_token'.split(
    ' ',
  ),
);

/** Makes one look-alike; what a reader sees at once to be no secret. */
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: what templates of other languages look like
const FALSE: Record<string, (random: Random, formats: Format[]) => string> = {
  placeholder: (r) =>
    `${name(r)}=${r.pick(['<your-key>', 'YOUR_API_KEY_HERE', 'changeme', 'xxxxxxxxxxxxxxxxxxxxxxxx', '********', 'REPLACE_ME', 'insert-token-here', '...', 'TODO', 'none', '""'])}`,
  variable: (r) =>
    `${name(r)}=${r.pick(['${API_KEY}', '$TOKEN', '{{ secrets.token }}', 'process.env.API_KEY', 'os.getenv("TOKEN")', '%API_KEY%', '${{ secrets.GITHUB_TOKEN }}', 'config.get("key")', '<%= key %>', 'vault:secret/data/app#key'])}`,
  gitSha: (r) => `commit ${hex(r, 40)}\nAuthor: someone\nindex ${hex(r, 7)}..${hex(r, 7)}`,
  integrity: (r) =>
    `"integrity": "sha512-${characters(B64, 86, r)}==",\n"resolved": "https://host.example/${r.pick(WORDS)}-1.2.3.tgz"`,
  digest: (r) => `image: acme/${r.pick(WORDS)}@sha256:${hex(r, 64)}`,
  checksum: (r) => `${hex(r, r.pick([32, 40, 64]))}  ${r.pick(WORDS)}-1.0.tar.gz`,
  uuid: (r) =>
    `${r.pick(WORDS)}_id: ${hex(r, 8)}-${hex(r, 4)}-4${hex(r, 3)}-a${hex(r, 3)}-${hex(r, 12)}`,
  image: (r) => `url(data:image/png;base64,iVBORw0KGgo${characters(B64, 200, r)}==)`,
  minified: (r) =>
    `!function(e,t){var n=e.${r.pick(WORDS)};return t(n.a+${r.below(99)},"${r.pick(WORDS)}_${r.pick(WORDS)}")}(this,function(${characters('abcdefgh', 4, r)}){});`,
  identifier: (r) =>
    `${r.pick([
      'sk_',
      'pk_',
      'ak_',
      'hf_',
      're_',
      'rk_',
      'key-',
      'shp',
      'glpat_',
      'npm_',
      'dapi',
      'gsk_',
      'r8_',
    ])}${r.pick(WORDS)}_${r.pick(WORDS)}_${r.pick(WORDS)} = ${r.below(1000)}`,
  cssClass: (r) =>
    `<div class="${r.pick(WORDS)}__${r.pick(WORDS)}--${hex(r, 5)} col-${r.below(12)}" style="color:#${hex(r, 6)}">`,
  oneShort: (r, formats) => {
    const fixed = formats.filter(({ kind }) => FIXED.has(kind));
    return `see ${example(r.pick(fixed), r).slice(0, -(1 + r.below(6)))} there`;
  },
  wrongSum: (r) => {
    const token = example(
      { kind: '', template: `{crc:${r.pick(['ghp_', 'gho_', 'npm_'])}}`, names: [] },
      r,
    );
    return `fixture ${token.slice(0, -1)}${token.endsWith('x') ? 'y' : 'x'} end`;
  },
  sample: (r) =>
    r.pick([
      `AKIA${'IOSFODNN7'}EXAMPLE`,
      `aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY${'EXAMPLE'}KEY`,
      'https://user:password@example.com/path',
      'postgres://USER:PASSWORD@HOST:5432/DB',
      'sk_test_your_key',
      'Authorization: Bearer <token>',
      'xoxb-your-token-here',
      'password: required|string|min:8',
    ]),
  prose: (r) =>
    `The ${r.pick(['token', 'password', 'secret', 'API key'])} of the ${r.pick(WORDS)} is kept in the ${r.pick(WORDS)} and rotated every ${r.below(90)} days.`,
  code: (r) =>
    r.pick([
      `def test_${r.pick(WORDS)}_token_is_refused(self): pass`,
      `if (password !== confirm${r.pick(WORDS)}) throw new Error('passwords differ');`,
      `const token = tokens[next${r.below(9)}];`,
      `secretKeyRef: { name: ${r.pick(WORDS)}-secrets, key: ${r.pick(WORDS)}-key }`,
      `api_key: Optional[str] = None  # ${r.pick(WORDS)}`,
      `token_type = 'Bearer'; expires_in = ${r.below(9999)}`,
    ]),
  publicKey: (r) =>
    `-----BEGIN PUBLIC KEY-----\n${characters(B64, 64, r)}\n-----END PUBLIC KEY-----\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${characters(B64, 43, r)} me@host`,
  version: (r) =>
    `"${r.pick(WORDS)}": "^${r.below(20)}.${r.below(20)}.${r.below(20)}", // ${hex(r, 12)}`,
};

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above

function name(random: Random): string {
  return `${random.pick(WORDS).toUpperCase()}_${random.pick(['API_KEY', 'TOKEN', 'SECRET', 'PASSWORD'])}`;
}

function hex(random: Random, length: number): string {
  return characters(HEX, length, random);
}

/** At least `count` look-alikes, of every family as many; the same seed gives the same texts. */
export function falseExamples(count: number, seed: number): Example[] {
  const random = new Random(seed);
  const formats = readFormats();
  const families = Object.entries(FALSE);
  const each = Math.ceil(count / families.length);
  return families.flatMap(([family, make]) =>
    Array.from({ length: each }, () => ({ family, text: make(random, formats) })),
  );
}
