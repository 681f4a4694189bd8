// `npm run conformance:rego [-- --only FOLDER] [--optimize 0|1|2] [--json] [--write]`: OPA's own cases.
import { parseArgs } from 'node:util';
import { writePage } from '../test/conformance/page.ts';
import { reportOf, share, tableOf } from '../test/conformance/report.ts';
import { runCases } from '../test/conformance/run.ts';

const LEAST_PASSED = 0.95;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    optimize: { type: 'string', default: '0' },
    engine: { type: 'string' },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || !['0', '1', '2'].includes(values.optimize)) {
  console.error(`usage: npm run conformance:rego -- [--only FOLDER] [--optimize 0|1|2] [--json] [--write]
FOLDER is one of OPA's, such as regexmatch; --optimize is OPA's level of partial evaluation, for
the cases that ask for one rule; --write puts a whole run into docs/conformance.md; --engine FILE takes another build of wasm/engine.
Ends with 1 when fewer than 95 % of the deterministic cases pass.`);
  process.exit(values.help ? 0 : 2);
}

const showsProgress = process.stderr.isTTY && !values.json;
const verdicts = await runCases({
  folder: values.only,
  optimize: Number(values.optimize) as 0 | 1 | 2,
  engine: values.engine,
  progress: (done, of) => {
    if (showsProgress) process.stderr.write(`\r${done} of ${of} `);
  },
});
if (showsProgress) process.stderr.write('\r\u001b[K');
if (verdicts.length === 0) {
  console.error(`no case is in a folder ${values.only}`);
  process.exit(2);
}
const report = reportOf(verdicts);
const { cases, deterministic, passed, compiled, optimised, failed, nondeterministic } = report;
if (values.json) console.log(JSON.stringify(report));
else {
  console.log(tableOf(verdicts));
  for (const each of failed) console.log(`failed: ${each.case}\n        ${each.reason}`);
  for (const each of nondeterministic) {
    console.log(`not deterministic: ${each.case} (${each.builtins.join(', ')})`);
  }
  console.log(
    `${cases} cases, ${deterministic} deterministic: ${passed} pass (${share(passed, deterministic)}),` +
      ` ${compiled} run compiled (${share(compiled, deterministic)}), ${optimised} optimised`,
  );
}
if (values.write && values.only === undefined) writePage(report);
process.exitCode = passed < deterministic * LEAST_PASSED ? 1 : 0;
