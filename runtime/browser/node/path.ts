// Paths as node:path joins them, for names that are relative and plain.

export function join(...parts: string[]): string {
  return parts.filter((part) => part !== '').join('/');
}

export function dirname(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Everything in a browser is where it is. */
export function relative(_from: string, to: string): string {
  return to;
}
