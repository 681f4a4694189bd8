// Names tools after their operations: stable, short, and unique without regard to the order of the document.

import { createHash } from 'node:crypto';

const NAME_LENGTH_MAX = 64;
const HASH_DIGITS = 8;

/** What a name is made of. */
export interface Named {
  /** Lower case, `a` to `z`, `0` to `9` and `_`; may be empty. */
  prefix: string;
  operationId: string | undefined;
  /** Upper case. */
  method: string;
  path: string;
}

/** Lower-case words joined by `_`: `listPetsHTTP2` and `list-pets-http2` become `list_pets_http2`. */
export function snakeCase(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
}

/**
 * One name for each operation, in their order: `<prefix>_<operationId>`, or method and path where there
 * is no id. Every operation of a group that would share a name, and every name over 64 characters,
 * gets a digest of its method and path, so the order of operations does not count. Method and path
 * together must be unique.
 */
export function toolNames(operations: readonly Named[]): string[] {
  const names = operations.map((operation) => shorten(plainName(operation), operation, false));
  const suffixed = names.map((name, index) => name !== plainName(operations[index]!));
  // A name with a digest can meet another's plain name; each round settles at least one more.
  for (let clash = true; clash; ) {
    clash = false;
    const uses = new Map<string, number>();
    for (const name of names) uses.set(name, (uses.get(name) ?? 0) + 1);
    operations.forEach((operation, index) => {
      if (suffixed[index] || uses.get(names[index]!) === 1) return;
      names[index] = shorten(plainName(operation), operation, true);
      suffixed[index] = true;
      clash = true;
    });
  }
  return names;
}

function plainName({ prefix, operationId, method, path }: Named): string {
  const own = snakeCase(operationId ?? '') || snakeCase(`${method} ${path}`);
  return prefix === '' ? own : `${prefix}_${own}`;
}

function shorten(name: string, { method, path }: Named, always: boolean): string {
  if (!always && name.length <= NAME_LENGTH_MAX) return name;
  const digest = createHash('sha256').update(`${method} ${path}`).digest('hex');
  const kept = name.slice(0, NAME_LENGTH_MAX - 1 - HASH_DIGITS).replace(/_+$/, '');
  return `${kept}_${digest.slice(0, HASH_DIGITS)}`;
}
