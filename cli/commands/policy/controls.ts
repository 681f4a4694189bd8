// `platform policy controls`: which controls each boundary's evidence supports, and which have none.
import Table from 'cli-table3';
import pc from 'picocolors';
import { RegoCompiler } from '../../../runtime/modules/rego.ts';
import type { Command } from '../../command.ts';
import { EXIT_FAILED } from '../../failure.ts';
import { parseOptions, UsageError } from '../../options.ts';
import { readCatalogue } from '../../policy/controls/catalogue.ts';
import { type ControlsReport, controlsReport } from '../../policy/controls/report.ts';
import { reportFindings } from './findings.ts';
import { FOLDERS_HELP, FOLDERS_MAX, policySources, print, printJson } from './sources.ts';

const help = `Usage
  platform policy controls [FOLDER|BUNDLE...] [--framework F] [options]

Says which controls of SOC 2, NIST 800-53, ISO 27001, PCI DSS, the EU AI Act, HIPAA and FedRAMP the evidence
of each boundary supports, from the control ids that rules name and policies/controls/controls.json, and
which controls of that list nothing supports. It is no legal advice and no certificate.

${FOLDERS_HELP}

Options
  --framework F    SOC2, NIST, ISO, PCI, EUAI, HIPAA or FEDRAMP alone
  --json           print {frameworks, unknown} with the rules behind each control

Exit codes
  0 every control that a rule names is known; 1 one is not, or the policies are wrong; 2 wrong command line

Examples
  platform policy controls
  platform policy controls my-policies --framework NIST
  platform policy controls --json`;

/** With `--json` prints a `ControlsReport`. */
export const controlsVerb: Command = {
  name: 'controls',
  summary: "which compliance controls each boundary's evidence supports",
  help,
  async run(argv) {
    const { values, positionals } = parseOptions(
      argv,
      { json: { type: 'boolean', default: false }, framework: { type: 'string' } },
      FOLDERS_MAX,
    );
    const sources = await policySources(positionals);
    const { ok, errors, rules } = (await RegoCompiler.load()).check(sources);
    if (!ok) return reportFindings(errors, values.json === true);
    const report = controlsReport(rules, await readCatalogue());
    narrow(report, values.framework);
    if (values.json) printJson(report);
    else print(describe(report));
    return report.unknown.length === 0 ? 0 : EXIT_FAILED;
  },
};

function narrow(report: ControlsReport, framework: string | undefined): void {
  if (framework === undefined) return;
  const names = Object.keys(report.frameworks);
  if (!names.includes(framework)) throw new UsageError(`--framework is one of ${names.join(', ')}`);
  report.frameworks = { [framework]: report.frameworks[framework]! };
}

function describe({ frameworks, unknown }: ControlsReport): string {
  const parts = Object.values(frameworks).map(({ name, edition, source, supported, none }) => {
    const table = new Table({
      head: ['control', 'supported by the evidence of'],
      style: { head: [], border: [], compact: true },
      colWidths: [26, 72],
      wordWrap: true,
    });
    for (const { id, boundaries } of supported)
      table.push([id, Object.keys(boundaries).join(', ')]);
    const missing = none.length === 0 ? 'nothing' : none.join(', ');
    return `${pc.bold(`${name}, ${edition}`)} (${source})\n${table}\nnothing supports: ${missing}`;
  });
  for (const { id, file, row } of unknown) {
    parts.push(`${pc.red('unknown control')} ${id} at ${file}:${row}`);
  }
  return parts.join('\n\n');
}
