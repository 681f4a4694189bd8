// Becomes an agent: waits for the address of its proxy, marks itself as an agent's process, executes it.
import { closeSync, readSync, writeSync } from 'node:fs';
import { markThisThread } from '../runtime/identity/mark.ts';

// Descriptor 3 leads to the launcher. It is told of the mark first, since an unmarked process is
// not registered; it answers with the address. When it dies first, the agent never starts.
const channel = 3;
const addressBytesMax = 4096;

if (!markThisThread()) process.exit(126);
writeSync(channel, 'm');
let address = '';
while (!address.endsWith('\n') && address.length < addressBytesMax) {
  const chunk = Buffer.alloc(addressBytesMax);
  const count = readSync(channel, chunk);
  if (count === 0) process.exit(126);
  address += chunk.toString('utf8', 0, count);
}
closeSync(channel);
// The shell finds the interpreter on the PATH. All of this is one process: same pid, same start time.
process.execve?.('/bin/sh', ['sh', '-c', 'exec "$0" "$@"', ...process.argv.slice(2)], {
  ...process.env,
  PLATFORM_GATEWAY_URL: address.trimEnd(),
  PLATFORM_VAULT_URL: address.trimEnd(),
  PLATFORM_LLM_GUARD_URL: address.trimEnd(),
});
