// OPA's own conformance cases, from the fixture that vendor.ts makes of them.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { brotliDecompressSync } from 'node:zlib';

/** One case; data, input and results are JSON text, so that no digit is lost. */
export interface ConformanceCase {
  /** `FOLDER/FILE`, as in v1/test/cases/testdata/v1. */
  file: string;
  /** OPA's name of the case; not every one is unique. */
  note: string;
  query: string;
  modules?: string[];
  data?: string;
  /** Marked: sets are `{"$set": […]}`. Absent: no input. */
  input?: string;
  /** The bindings of each result, sets as arrays. */
  results?: string;
  errorCode?: string;
  /** Part of the error's text. */
  error?: string;
  /** The arrays that are bound stand for sets: their order does not matter. */
  sortBindings?: boolean;
  ignoreGeneratedVars?: boolean;
  /** A failing built-in ends the evaluation. */
  strict?: boolean;
}

/** A case with the name that lists and reports call it by. */
export interface NamedCase extends ConformanceCase {
  name: string;
  folder: string;
}

const fixtures = new URL('fixtures/', import.meta.url);

/**
 * All cases in the order of their files; with `folder`, those of it alone.
 * @throws Error when the fixture does not have the digest in cases.sha256
 */
export async function loadCases(folder?: string): Promise<NamedCase[]> {
  const bytes = brotliDecompressSync(await readFile(new URL('cases.json.br', fixtures)));
  const expected = (await readFile(new URL('cases.sha256', fixtures), 'utf8')).trim();
  if (createHash('sha256').update(bytes).digest('hex') !== expected) {
    throw new Error(
      'test/conformance/fixtures/cases.json.br does not have the digest in cases.sha256',
    );
  }
  const seen = new Map<string, number>();
  return (JSON.parse(bytes.toString()) as ConformanceCase[])
    .map((one) => {
      const plain = `${one.file}: ${one.note}`;
      const count = (seen.get(plain) ?? 0) + 1;
      seen.set(plain, count);
      const name = count === 1 ? plain : `${plain} (${count})`;
      return { ...one, name, folder: one.file.split('/')[0]! };
    })
    .filter((one) => folder === undefined || one.folder === folder);
}
