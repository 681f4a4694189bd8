// `npm run parity`: the same generated requests through every host; an id that differs is a bug.
import { parseArgs } from 'node:util';
import { compareHosts } from './parity/compare.ts';
import { HOSTS, type HostName } from './parity/host.ts';
import { compareInline } from './parity/inline.ts';
import { runPlants } from './parity/plants.ts';
import { exampleOf, summaryOf, textOf } from './parity/report.ts';
import { startHosts } from './parity/start.ts';

/** Of requests with a certificate each, and of messages in bodies: each has a connection of its own. */
const INLINE = 400;
/** Inputs of a run that has to allow 30 % at each boundary. */
const SHARES_FROM = 10_000;

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '100000' },
    hosts: { type: 'string', default: HOSTS.join(',') },
    seed: { type: 'string', default: '1' },
    plant: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const inputs = Number(values.inputs);
const seed = Number(values.seed);
const hosts = values.hosts
  .split(',')
  .filter((name): name is HostName => HOSTS.some((known) => known === name));
const isRight =
  Number.isSafeInteger(inputs) &&
  inputs > 0 &&
  Number.isSafeInteger(seed) &&
  hosts.length === values.hosts.split(',').length;
if (values.help || !isRight) {
  console.error(`usage: npm run parity -- [--inputs N] [--hosts ${HOSTS.join(',')}] [--seed S] [--plant] [--json]
Sends N generated decision requests (100,000), of all boundaries and modules, through every host and compares
the decision ids and what is said of them; the same seed gives the same requests. --plant plants faults of one bit into each host
instead, and says which input found them. Ends with 1 when an answer differs, when fewer than 30 % of the inputs of a boundary are
allowed (from ${SHARES_FROM} inputs on), or when a planted fault is not found.`);
  process.exit(values.help ? 0 : 2);
}

if (values.plant) {
  const results = await runPlants({ hosts, inputs: Math.min(inputs, 20_000), seed });
  if (values.json) console.log(JSON.stringify({ planted: results }));
  process.exitCode = results.every(({ found }) => found) ? 0 : 1;
} else {
  await using running = await startHosts(hosts);
  const shown = { at: 0 };
  const report = await compareHosts({
    ...running,
    ...{ inputs, seed },
    progress: (host, done, seconds) => {
      if (performance.now() - shown.at < 2000 && done < inputs) return;
      shown.at = performance.now();
      const rate = Math.round(done / seconds);
      process.stderr.write(`${host}: ${done} of ${inputs}, ${rate} a second\n`);
    },
  });
  const inline = hosts.includes('envoy')
    ? await compareInline(running.pair, { peers: INLINE, bodies: INLINE, seed })
    : undefined;
  for (const each of inline?.differences ?? []) console.error('in line', JSON.stringify(each));
  for (const difference of report.differences) process.stderr.write(`${exampleOf(difference)}\n`);
  const summary = summaryOf(report, inline);
  console.log(values.json ? JSON.stringify(summary) : textOf(summary));
  // Of few inputs, chance decides how many are allowed.
  const isMeaningful = inputs < SHARES_FROM || summary.tooFewAllowed.length === 0;
  if (!isMeaningful) console.error(`less than 30 % allowed: ${summary.tooFewAllowed.join(', ')}`);
  process.exitCode = summary.differing === 0 && isMeaningful ? 0 : 1;
}
