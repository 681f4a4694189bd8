// Reads the path of a request as OPA does: slash-separated terms, numbers where they look like ones.
import { InputError } from '../../runtime/errors.ts';

/** Keys below `data`; a number indexes an array or a set, as OPA takes it. */
export type DocumentPath = readonly (string | number)[];

const PATH_BYTES_MAX = 4096;
const TERMS_MAX = 64;

/**
 * The terms of a raw, still percent-encoded path such as `platform/tool/decision`; empty segments are
 * left out (v1/server/server.go, stringPathToRef).
 * @throws InputError `input_invalid` for a quote in a term, what is not UTF-8, and a path over 4 KiB or
 *   64 terms
 */
export function readDocumentPath(raw: string): DocumentPath {
  if (raw.length > PATH_BYTES_MAX) throw new InputError('input_invalid', 'invalid path: too long');
  const segments = raw.split('/').filter((segment) => segment !== '');
  if (segments.length > TERMS_MAX) {
    throw new InputError('input_invalid', 'invalid path: too many terms');
  }
  return segments.map(termOf);
}

function termOf(segment: string): string | number {
  const text = decode(segment);
  if (text.includes('"')) {
    throw new InputError('input_invalid', `invalid path: invalid ref term '${text}'`);
  }
  if (text.length > 16 || !/^[+-]?\d+$/.test(text)) return text;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number || 0 : text;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new InputError('input_invalid', 'invalid path: a term is not UTF-8', { cause });
  }
}

/** The Rego reference of a path: `data["platform"]["tool"]`. */
export function queryOf(path: DocumentPath): string {
  return `data${path.map((term) => `[${JSON.stringify(term)}]`).join('')}`;
}

/** The reference as OPA writes it in messages: `data.platform.tool["a-b"][0]`. */
export function describePath(path: DocumentPath): string {
  return `data${path
    .map((term) =>
      typeof term === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(term)
        ? `.${term}`
        : `[${JSON.stringify(term)}]`,
    )
    .join('')}`;
}
