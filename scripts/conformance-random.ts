// `npm run conformance:random [-- --inputs N] [--seed S] [--json]`: random policies against OPA's interpreter.
import { parseArgs } from 'node:util';
import { share } from '../test/conformance/report.ts';
import { STATEMENTS } from '../test/random-policies/cover.ts';
import { compareRandom } from '../test/random-policies/run.ts';

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    engine: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const inputs = Number(values.inputs);
const seed = Number(values.seed);
if (values.help || !Number.isSafeInteger(inputs) || inputs < 1 || !Number.isSafeInteger(seed)) {
  console.error(`usage: npm run conformance:random -- [--inputs N] [--seed S] [--json]
Compares compiled random policies with OPA's interpreter on at least N random inputs (100,000);
the same seed gives the same policies. Ends with 1 when an answer differs.`);
  process.exit(values.help ? 0 : 2);
}

const showsProgress = process.stderr.isTTY && !values.json;
const report = await compareRandom({
  inputs,
  seed,
  engine: values.engine,
  progress: (done) => {
    if (showsProgress) process.stderr.write(`\r${done} inputs `);
  },
});
if (showsProgress) process.stderr.write('\r\u001b[K');
if (values.json) console.log(JSON.stringify(report));
else {
  for (const { seed: of, modules, data, input, expected, got } of report.differences) {
    console.log(`seed ${of} differs:\n${modules.join('\n\n')}\ndata:     ${data}`);
    console.log(`input:    ${input}\nexpected: ${expected}\ngot:      ${got}\n`);
  }
  for (const each of report.unsupported) console.log(`not compiled: ${each.join(', ')}`);
  for (const name of STATEMENTS) console.log(`${name.padEnd(22)}${report.cover[name] ?? 0}`);
  console.log(
    `${report.policies} policies (${report.refused} more were refused by OPA's type checker,` +
      ` ${report.optimised} also optimised),` +
      ` ${report.inputs} inputs: ${share(report.allowed, report.inputs)} allowed,` +
      ` ${report.differences.length} policies differ, ${report.unsupported.length} not compiled`,
  );
}
const missing = STATEMENTS.filter((name) => report.cover[name] === undefined);
if (missing.length > 0) console.error(`statements that no policy has: ${missing.join(', ')}`);
process.exitCode = report.differences.length + report.unsupported.length > 0 ? 1 : 0;
