// `npm run fuzz:guard [-- --inputs N] [--seed S] [--json]`: hostile texts for the guard, ten million by default.
import { parseArgs } from 'node:util';
import { pythonForTests } from '../sdk/python/environment.ts';
import { fuzzGuard } from '../test/guard-fuzz/run.ts';

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '10000000' },
    seed: { type: 'string', default: '1' },
    'node-only': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const inputs = Number(values.inputs);
const seed = Number(values.seed);
if (values.help || !Number.isSafeInteger(inputs) || inputs < 1 || !Number.isSafeInteger(seed)) {
  console.error(`usage: npm run fuzz:guard -- [--inputs N] [--seed S] [--node-only] [--json]
Scans N hostile texts (10,000,000): none may trap, take more than linear work, or be answered otherwise
in pieces or by Python. The same seed repeats the run. Ends with 1 when something failed.
example: npm run fuzz:guard -- --inputs 100000 --seed 7`);
  process.exit(values.help ? 0 : 2);
}

const showsProgress = process.stderr.isTTY && !values.json;
const report = await fuzzGuard({
  inputs,
  seed,
  ...(values['node-only'] ? {} : { python: (await pythonForTests()).python }),
  progress: (done) => {
    if (showsProgress) process.stderr.write(`\r${done} of ${inputs} `);
  },
});
if (showsProgress) process.stderr.write('\r\u001b[K');
if (values.json) console.log(JSON.stringify(report));
else {
  for (const { what, request } of report.failures) console.log(`${what}\n${request}\n`);
  const { median, worst, worstText } = report.stepsPerByte;
  console.log(
    `${report.inputs} texts (${report.streamed} also in pieces, ${report.doubled} doubled, ` +
      `${report.python} by Python), ${report.kinds.length} kinds found, ` +
      `steps a byte: median ${median.toFixed(1)}, worst ${worst.toFixed(1)} for ${JSON.stringify(worstText)}; ` +
      `${report.failures.length} failures`,
  );
}
process.exitCode = report.failures.length > 0 ? 1 : 0;
