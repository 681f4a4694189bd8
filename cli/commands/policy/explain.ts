// `platform policy explain`: which rule said yes or no, and what each of its conditions saw.
import { writeFile } from 'node:fs/promises';
import { BOUNDARIES } from '../../../runtime/decide/boundary.ts';
import { InputError } from '../../../runtime/errors.ts';
import { type Explanation, explainDecision } from '../../../runtime/explain/explanation.ts';
import { htmlOf } from '../../../runtime/explain/html.ts';
import { textOf } from '../../../runtime/explain/text.ts';
import { viewOf } from '../../../runtime/explain/view.ts';
import { isJsonObject } from '../../../runtime/json.ts';
import { RegoCompiler } from '../../../runtime/modules/rego.ts';
import type { Command } from '../../command.ts';
import { EXIT_FAILED } from '../../failure.ts';
import { parseOptions, UsageError } from '../../options.ts';
import { explainRecorded } from '../../policy/explain/recorded.ts';
import { stateFolder } from '../../state-folder.ts';
import { reportPolicyError } from './findings.ts';
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
  platform policy explain [FOLDER|BUNDLE...] --input FILE [--data FILE] [--boundary B] [options]
  platform policy explain --decision ID [--state DIR] [options]

Says what is decided, which rule decides it, and which conditions of the rule hold, with the values
that they saw. With --decision it explains a decision of the evidence, with the policy and the data
of that time; what is committed there and cannot be opened is shown as unknown.

${FOLDERS_HELP}

Options
  --input FILE     the input's JSON; - is standard input
  --data FILE      the data.json to decide with
  --boundary B     ${BOUNDARIES.join(', ')} (default tool)
  --decision ID    a decision of the evidence; its first 8 digits are enough
  --state DIR      the platform's state folder
  --all            show every rule that was evaluated, not only those that decide
  --html FILE      write the rules as a picture, a page that needs nothing else
  --json           print {allow, rule, reasons, why, others, tree, unknown}

Exit codes
  0 allowed; 1 not; 2 wrong command line

Examples
  platform policy explain my-policies --input call.json --data data.json
  platform policy explain my-policies --input call.json --data data.json --html why.html
  platform policy explain --decision 5f0c3a9d21b7`;

/** Explains one decision. */
export const explainVerb: Command = {
  name: 'explain',
  summary: 'which rule said yes or no, with the value of each condition',
  help,
  async run(argv) {
    const { values, positionals } = parseOptions(
      argv,
      {
        json: { type: 'boolean', default: false },
        all: { type: 'boolean', default: false },
        input: { type: 'string' },
        data: { type: 'string' },
        boundary: { type: 'string' },
        decision: { type: 'string' },
        state: { type: 'string' },
        html: { type: 'string' },
      },
      FOLDERS_MAX,
    );
    const { input, data, boundary, decision, state, html } = values;
    if ((input === undefined) === (decision === undefined)) {
      throw new UsageError('either --input or --decision is needed');
    }
    if (
      decision !== undefined &&
      (positionals.length > 0 || data !== undefined || boundary !== undefined)
    ) {
      throw new UsageError('--decision names the policy, the data and the boundary itself');
    }
    const json = values.json === true;
    try {
      const explanation =
        decision !== undefined
          ? await explainRecorded(stateFolder(state), decision)
          : await explainInput({ folders: positionals, input: input!, data, boundary });
      const about = decision === undefined ? `Input ${input}` : `Decision ${decision}`;
      return await show(explanation, { json, all: values.all === true, html, about });
    } catch (error) {
      return reportPolicyError(error, json);
    }
  },
};

interface ExplainFlags {
  folders: string[];
  input: string;
  data?: string;
  boundary?: string;
}

async function explainInput(flags: ExplainFlags): Promise<Explanation> {
  const { folders, input, data, boundary = 'tool' } = flags;
  const known = data === undefined ? {} : await readJson(data);
  if (!isJsonObject(known)) throw new InputError('input_invalid', `${data} is not an object`);
  requireBoundary(boundary);
  return explainDecision(await RegoCompiler.load(), {
    sources: await policySources(folders),
    data: known,
    boundary,
    input: await readJson(input),
  });
}

interface Presentation {
  json: boolean;
  all: boolean;
  /** Where to write the picture. */
  html?: string;
  about: string;
}

async function show(explanation: Explanation, how: Presentation): Promise<number> {
  const view = viewOf(explanation);
  if (how.html !== undefined) await writeFile(how.html, htmlOf(view, how.about));
  if (how.json) printJson(explanation);
  else print(textOf(view, how.all));
  return explanation.allow ? 0 : EXIT_FAILED;
}
