// Checks a certificate of `platform policy prove` without anything of the prover: `prove --check`.
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import type { RegoCompiler, RegoFile } from '../../../runtime/modules/rego.ts';
import type { AstExpr, AstTerm } from '../../../runtime/modules/rego-ast.ts';
import { type Bundles, readBundles } from './bundle.ts';
import { type Claim, findGaps, type Gap, keyOf } from './cover.ts';
import { type Certificate, readCertificate } from './format.ts';
import { type Node, programOf, type Rule } from './program.ts';
import { isPlain, type Property, readProperty } from './property.ts';
import { textsIn } from './tree.ts';
import { textOf, type Value } from './values.ts';

/** Why a certificate is refused; with a place where an expression is the reason. */
export interface Problem {
  code: string;
  message: string;
  file?: string;
  row?: number;
  source?: string;
}

export interface Checked {
  ok: boolean;
  /** The revisions of the two bundles, computed from their files. */
  revision?: { policy: string; data: string };
  /** How many cases were held to the sentence, and into how many parts the inputs were told apart. */
  checked: { cases: number; combinations: number };
  problems: Problem[];
  /** What the sentence does not say, though its words could be taken for it. */
  note?: string;
  /** What was checked, in one line. */
  summary: string;
}

const PLACES_MAX = 3;

/**
 * Checks that a certificate is about these bundles, that its cases hold the sentence, and that no
 * input that is no case can be allowed, by an abstract evaluation of the bundle's sources. Whatever
 * the evaluation does not follow may be allowed, which refuses the certificate. Reads no network.
 */
export async function checkCertificate(
  given: { certificate: JsonValue; compiler: RegoCompiler } & Bundles,
): Promise<Checked> {
  const certificate = readCertificate(given.certificate);
  if (typeof certificate === 'string') {
    return refused([{ code: 'certificate_invalid', message: certificate }]);
  }
  if (!isPlain(certificate.sentence)) {
    const message =
      'the sentence holds more than printable ASCII: it may not be what it looks like';
    return refused([{ code: 'sentence_characters', message }]);
  }
  const { contents, revision, problems } = await readBundles(given, certificate, given.compiler);
  if (contents === undefined) return refused(problems, revision);
  const property = readProperty(certificate.sentence, contents.data, textsIn(contents.modules));
  if (typeof property === 'string') {
    return refused([{ code: 'property_invalid', message: property }], revision);
  }
  const wrong = holdCases(certificate, property);
  if (wrong.length > 0) return refused(wrong, revision);
  const only = scopeOf(certificate, property);
  if (only === undefined) {
    const message = 'the certificate speaks of other inputs than the sentence';
    return refused([{ code: 'scope_differs', message }], revision);
  }
  const program = programOf(contents.modules);
  const rule = certificate.entrypoint
    .split('/')
    .reduce<Node | undefined>((node, name) => node?.children.get(name), program)?.rule;
  if (rule === undefined) {
    const message = `no rule defines ${certificate.entrypoint}`;
    return refused([{ code: 'entrypoint_missing', message }], revision);
  }
  const claim = claimOf(certificate, property, { program, data: contents.data, rule, only });
  const { gaps, combinations } = findGaps(claim);
  const found = gaps.flatMap((gap) => describe(gap, property, contents.files));
  const cases = certificate.cases.length;
  return {
    ok: found.length === 0,
    revision,
    checked: { cases, combinations },
    problems: found,
    ...(property.note !== undefined && { note: property.note }),
    summary:
      found.length > 0
        ? `the certificate is refused: ${found[0]!.message}`
        : `“${certificate.sentence}” at ${property.boundary}: ${cases} cases hold it, and of ` +
          `${combinations} combinations none that is no case is allowed, by ${contents.files.length} ` +
          `sources that compile to the bundle's module`,
  };
}

function refused(problems: Problem[], revision?: Checked['revision']): Checked {
  return {
    ok: false,
    ...(revision && { revision }),
    checked: { cases: 0, combinations: 0 },
    problems,
    summary: `the certificate is refused: ${problems[0]?.message ?? 'nothing was checked'}`,
  };
}

/** The cases against the sentence, as the checker reads it. */
function holdCases(certificate: Certificate, property: Property): Problem[] {
  const { pointers, cases, entrypoint } = certificate;
  if (entrypoint !== `platform/${property.boundary}/decision`) {
    const message = `the sentence is about ${property.boundary}, the certificate about ${entrypoint}`;
    return [{ code: 'entrypoint_differs', message }];
  }
  const places = property.pointers.map((pointer) => pointers.indexOf(pointer));
  if (property.control !== undefined && (cases.length !== 1 || pointers.length > 0)) {
    const message = 'the one case of such a sentence is every input, which has nothing to name';
    return [{ code: 'case_incomplete', message }];
  }
  if (cases.length > 0 && places.includes(-1)) {
    const message = `the cases must name ${property.pointers.join(' and ')}`;
    return [{ code: 'case_incomplete', message }];
  }
  const broken = property.broken(cases.map((values) => places.map((place) => values[place]!)));
  return broken === undefined ? [] : [{ code: 'property_broken', message: broken }];
}

/**
 * The inputs that the cases are to cover: all that reach something, or those of them that reach what the
 * sentence names, which are the only ones that could contradict it. Undefined for any others.
 */
function scopeOf({ scope }: Certificate, { only, named }: Property): Property['only'] | undefined {
  if (scope === undefined) return only;
  const narrow = named && new Map(only).set(named.pointer, [named.value]);
  return [only, narrow].find((one) => one !== undefined && isScope(scope, one));
}

/** Whether the certificate's scope says the same: a constant for each pointer, or the list of them. */
function isScope(scope: JsonObject, only: Property['only']): boolean {
  if (Object.keys(scope).length !== only.size) return false;
  return [...only].every(([pointer, constants]) => {
    const stated = Object.hasOwn(scope, pointer) ? scope[pointer] : undefined;
    const list = Array.isArray(stated) ? stated : [stated];
    return (
      list.length === constants.length && constants.every((one) => list.some((is) => is === one))
    );
  });
}

function claimOf(
  { pointers, cases }: Certificate,
  property: Property,
  what: { program: Node; data: Value; rule: Rule; only: Property['only'] },
): Claim {
  const values = new Map(pointers.map((pointer) => [pointer, new Map<string, Value>()]));
  for (const entry of cases) {
    for (const [index, value] of entry.entries()) {
      values.get(pointers[index]!)!.set(textOf(value), value);
    }
  }
  // Cases without pointers cover every input: only the control is left to show.
  const keys = property.control === undefined ? cases.map(keyOf) : [];
  return {
    ...what,
    pointers: cases.length > 0 ? pointers : property.pointers,
    cases: new Set(keys),
    values,
    ...(property.control !== undefined && { control: property.control }),
  };
}

/** A gap in words, with the expressions that leave it open. */
function describe(gap: Gap, property: Property, files: readonly RegoFile[]): Problem[] {
  if (gap.tooMuch === true) {
    return [{ code: 'too_much', message: 'the policy is too large to be checked this way' }];
  }
  const what =
    property.control === undefined ? 'is allowed' : `is allowed without ${property.control}`;
  const message = gap.certain
    ? `an input that is no case ${what}: ${gap.combination.describe()}`
    : `it is not shown that no input that is no case ${what}: ${gap.combination.describe()}`;
  const code = gap.certain ? 'not_covered' : 'not_shown';
  const doubts = [...(gap.trace?.doubts ?? [])] as [AstExpr | AstTerm, string][];
  const unfollowed = doubts.filter(([, why]) => why !== '');
  const shown = (unfollowed.length > 0 ? unfollowed : doubts).slice(-PLACES_MAX);
  if (shown.length === 0) return [{ code, message }];
  return shown.map(([{ location }, why]) => ({
    code,
    message: why === '' ? message : `${message} (${why})`,
    ...(location && {
      file: location.file,
      row: location.row,
      source: lineOf(files, location.file, location.row),
    }),
  }));
}

function lineOf(files: readonly RegoFile[], file: string, row: number): string {
  const content = files.find(({ path }) => path === file)?.content;
  return content?.split('\n')[row - 1] ?? '';
}
