// The built-in functions that an engine has: its exports named `b_` and OPA's name with `_` for `.`.
import type { Engine, EngineFunction } from './engine.ts';

const PREFIX = 'b_';

/** The engine's function for a built-in of OPA, if it has one that takes so many arguments. */
export function builtinOf(engine: Engine, name: string, args: number): EngineFunction | undefined {
  const found = engine.functions.get(exportName(name));
  return found?.plain && found.params === args ? found : undefined;
}

/** The export of the engine that stands for a built-in of OPA. */
export function exportName(builtin: string): string {
  return PREFIX + builtin.replaceAll('.', '_');
}

/** Every built-in that an engine has, by the name of its export, with how many arguments it takes. */
export function builtinsOf(engine: Engine): Map<string, number> {
  const builtins = new Map<string, number>();
  for (const [name, { params, plain }] of engine.functions)
    if (name.startsWith(PREFIX) && plain) builtins.set(name, params);
  return builtins;
}
