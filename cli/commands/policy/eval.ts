// `platform policy eval`: what would be decided for one input, by the compiled module.
import pc from 'picocolors';
import { compileSources } from '../../../runtime/bundle/compile.ts';
import { BOUNDARIES } from '../../../runtime/decide/boundary.ts';
import { InputError } from '../../../runtime/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../runtime/json.ts';
import { Authorization } from '../../../runtime/modules/authorization.ts';
import { Record as RecordModule } from '../../../runtime/modules/record.ts';
import { policyInvalid, RegoCompiler, type RegoSources } from '../../../runtime/modules/rego.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import type { Command } from '../../command.ts';
import { EXIT_FAILED } from '../../failure.ts';
import { parseOptions, UsageError } from '../../options.ts';
import { reportFindings } from './findings.ts';
import { readJson } from './read-json.ts';
import {
  FOLDERS_HELP,
  FOLDERS_MAX,
  policySources,
  print,
  printJson,
  requireBoundary,
} from './sources.ts';

const help = `Usage
  platform policy eval [FOLDER|BUNDLE...] --input FILE [--data FILE] [--boundary B | --query Q]

Answers as the running platform would: with the compiled module, for one input. With --query it
answers any Rego query with OPA's interpreter, and shows what print wrote.

${FOLDERS_HELP}

Options
  --input FILE     the input's JSON; - is standard input
  --data FILE      the data.json to decide with
  --boundary B     ${BOUNDARIES.join(', ')} (default tool)
  --query Q        a Rego query, such as data.platform.tool.operator.deny
  --json           print the decision, or the query's values

Exit codes
  0 allowed, or the query has an answer; 1 not; 2 wrong command line

Examples
  platform policy eval my-policies --input call.json --data data.json
  platform policy eval --boundary secret --input read.json --data data.json --json
  platform policy eval my-policies --input call.json --query 'data.platform.tool.operator.deny'`;

/** Says what would be decided for one input. */
export const evalVerb: Command = {
  name: 'eval',
  summary: 'what would be decided for one input',
  help,
  async run(argv) {
    const { values, positionals } = parseOptions(
      argv,
      {
        json: { type: 'boolean', default: false },
        input: { type: 'string' },
        data: { type: 'string' },
        boundary: { type: 'string', default: 'tool' },
        query: { type: 'string' },
      },
      FOLDERS_MAX,
    );
    const { input, data, boundary = 'tool', query } = values;
    if (input === undefined) throw new UsageError('--input is needed');
    requireBoundary(boundary);
    const json = values.json === true;
    return evaluate({ folders: positionals, json, input, data, boundary, query });
  },
};

interface EvalFlags {
  folders: string[];
  json: boolean;
  /** File with the input's JSON, or `-` for standard input. */
  input: string;
  /** File with `data.json`. */
  data?: string;
  /** A boundary such as `tool`, unless `query` is given. */
  boundary: string;
  /** A Rego query, answered by OPA's interpreter, which also shows what `print` wrote. */
  query?: string;
}

async function evaluate(flags: EvalFlags): Promise<number> {
  const input = await readJson(flags.input);
  const data = flags.data === undefined ? {} : await readJson(flags.data);
  if (!isJsonObject(data)) throw new InputError('input_invalid', `${flags.data} is not an object`);
  const sources = await policySources(flags.folders);
  if (flags.query !== undefined) return query(flags.query, { ...sources, data }, input, flags.json);
  const compiler = await RegoCompiler.load();
  const checked = compiler.check(sources);
  if (!checked.ok) return reportFindings(checked.errors, flags.json);
  const { wasm, decisions } = await compileSources(sources);
  const record = RecordModule.create(moduleBytes('record'));
  const module = Authorization.create({ wasm, decisions, data: Buffer.from(JSON.stringify(data)) });
  const canonical = record.canonicalizeValue(input);
  const answer = module.decideBytes(`platform/${flags.boundary}/decision`, canonical).value;
  if (flags.json) printJson(answer);
  else print(describe(answer));
  return isJsonObject(answer) && answer.allow === true ? 0 : EXIT_FAILED;
}

async function query(
  text: string,
  sources: RegoSources,
  input: JsonValue,
  json: boolean,
): Promise<number> {
  const compiler = await RegoCompiler.load();
  const answer = compiler.eval({ ...sources, query: text, input });
  if (!answer.ok) throw policyInvalid(answer.errors);
  if (answer.output !== '') process.stderr.write(answer.output);
  if (json) printJson(answer.result);
  else
    print(answer.result.map((value) => JSON.stringify(value, null, 2)).join('\n') || 'undefined');
  return answer.result.length > 0 ? 0 : EXIT_FAILED;
}

function describe(answer: JsonValue): string {
  const { allow, rule, reasons, controls, obligations } = answer as JsonObject;
  const lines = [`${allow === true ? pc.green('allow') : pc.red('deny')} ${String(rule)}`];
  for (const reason of list(reasons))
    lines.push(`  ${String(reason.code)}: ${String(reason.message)}`);
  for (const obligation of list(obligations)) lines.push(`  ${described(obligation)}`);
  lines.push(`  controls: ${(controls as string[]).join(', ')}`);
  return lines.join('\n');
}

/** What a person is asked, or what the caller must honour. */
function described({ kind, question, ...members }: JsonObject): string {
  if (kind === 'require_approval') return `asks: ${String(question)}`;
  const text = Object.entries(members).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return `obliges: ${String(kind)} ${text.join(', ')}`;
}

function list(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
