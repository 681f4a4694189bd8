// The bare limit: a function written by hand in AssemblyScript, asked about requests that are in its memory.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';
import type { Asked } from './cedar.ts';
import { type Contestant, local } from './contestant.ts';

interface LimitExports {
  memory: WebAssembly.Memory;
  take(bytes: number): number;
  begin(slots: number): void;
  grant(agent: number, agentLength: number, tool: number, toolLength: number, rate: number): void;
  decide(request: number): number;
}

const REQUEST_BYTES = 28;

/** Compiles bench/limit and gives it the grants and the requests. */
export async function bareLimit(
  inputs: Asked[],
  agents: [agent: string, tool: string][],
): Promise<Contestant> {
  const exports = await compiled();
  const put = (text: string): [number, number] => {
    const bytes = Buffer.from(text);
    const pointer = exports.take(bytes.length);
    Buffer.from(exports.memory.buffer).set(bytes, pointer);
    return [pointer, bytes.length];
  };
  exports.begin(2 ** Math.ceil(Math.log2(agents.length * 2)));
  for (const [agent, tool] of agents) exports.grant(...put(agent), ...put(tool), 600);
  const requests = inputs.map(({ identity, resource, counters }) => {
    const words = [
      ...put(identity.spiffe_id),
      ...put(resource.name),
      ...put(resource.action),
      counters.agent_minute,
    ];
    const pointer = exports.take(REQUEST_BYTES);
    new Uint32Array(exports.memory.buffer, pointer, words.length).set(words);
    return pointer;
  });
  return local(
    'bare limit',
    inputs.length,
    4000,
    (number) => exports.decide(requests[number]!) === 1,
  );
}

async function compiled(): Promise<LimitExports> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  let bytes: Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    ['bench/limit/index.ts', '--config', 'asconfig.json', '--outFile', 'limit.wasm'],
    {
      stdout: process.stdout,
      baseDir: root,
      readFile: (name: string, base: string) => {
        try {
          return readFileSync(join(base, name), 'utf8');
        } catch {
          return null;
        }
      },
      writeFile: (_name: string, contents: unknown) => {
        bytes = contents as Uint8Array;
      },
    } as never,
  );
  if (error || bytes === undefined) throw new Error(stderr?.toString() ?? error?.message);
  const module = new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>);
  return new WebAssembly.Instance(module).exports as unknown as LimitExports;
}
