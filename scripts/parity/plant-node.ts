// Plants the fault of PLATFORM_PARITY_FAULT into this process of Node; loaded before the host's own program.
import { registerHooks } from 'node:module';
import type { Fault } from './faults.ts';
import { plantMemory } from './plant-memory.ts';

const fault = JSON.parse(process.env.PLATFORM_PARITY_FAULT!) as Fault;

if (fault.kind === 'memory') plantMemory(fault.text);
else {
  const { file, from, to } = (fault.changes.node ?? fault.changes.cli)!;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(file)) return loaded;
      const source = String(
        typeof loaded.source === 'string'
          ? loaded.source
          : Buffer.from(loaded.source as ArrayBuffer),
      );
      if (!source.includes(from)) throw new Error(`${file} has no ${from}`);
      return { ...loaded, source: source.replaceAll(from, to) };
    },
  });
}
