// A workload as a process of its own: prints whose SVIDs it holds after each change, and what troubles it.
import { codeOf } from '../errors.ts';
import { openWorkloadSource } from '../identity/workload/source.ts';

const [socketPath = ''] = process.argv.slice(2);
const say = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`);

try {
  const onTrouble = (trouble: unknown) => say(codeOf(trouble));
  const source = await openWorkloadSource({ socketPath, onTrouble, timeoutMs: 2000 });
  const ids = () => say(source.current().svids.map(({ spiffeId }) => spiffeId));
  source.onChange(ids);
  ids();
} catch (error) {
  say(`none: ${codeOf(error)}`);
}
