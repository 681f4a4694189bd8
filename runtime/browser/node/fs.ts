// The files of a browser: the few that a page gave by name. Nothing else can be read, and nothing written.

const files = new Map<string, Uint8Array>();

/** Gives the file that is read under any path that ends in this name. */
export function provideFile(name: string, bytes: Uint8Array): void {
  files.set(name, bytes);
}

export function readFileSync(path: string | URL, encoding?: string): Uint8Array | string {
  const name = String(path).split('/').at(-1) ?? '';
  const bytes = files.get(name);
  if (bytes === undefined) throw new Error(`there is no file ${name} in a browser`);
  return encoding === undefined ? bytes : new TextDecoder().decode(bytes);
}

export async function readFile(path: string | URL, encoding?: string) {
  return readFileSync(path, encoding);
}
