// JSON bodies in and out, judged readable by the record module, so every host refuses the same ones.
import { PlatformError } from '../../../runtime/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../runtime/json.ts';
import { type HttpRequest, type HttpResponse, singleHeader } from './port.ts';

/** The part of the record module that reads JSON; throws `InputError` with an `input_*` code. */
export interface Canonicalizer {
  canonicalize(bytes: Uint8Array): Uint8Array;
}

/**
 * Reads the body as a JSON object. Errors: `content_type_unsupported` for anything but
 * `application/json` in UTF-8 (RFC 8259, section 8.1), and the `input_*` codes of the record module.
 */
export function readJsonObject(request: HttpRequest, record: Canonicalizer): JsonObject {
  requireJsonContentType(request);
  const value: JsonValue = JSON.parse(new TextDecoder().decode(record.canonicalize(request.body)));
  if (!isJsonObject(value)) {
    throw new PlatformError('input_invalid', 'the body is not a JSON object');
  }
  return value;
}

/** What the record module reads at once. */
const recordBytesMax = 1024 * 1024;

/**
 * As `readJsonObject`, for routes whose bodies may be larger than the record module takes at once.
 * A larger body is read by the host's parser alone, which keeps the last of two equal keys: only for
 * documents whose parts are checked one by one before they decide anything.
 */
export function readLargeJsonObject(request: HttpRequest, record: Canonicalizer): JsonObject {
  if (request.body.byteLength <= recordBytesMax) return readJsonObject(request, record);
  requireJsonContentType(request);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(request.body);
  } catch (cause) {
    throw new PlatformError('input_not_utf8', 'the body is not UTF-8', { cause });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new PlatformError('input_not_json', 'the body is not JSON', { cause });
  }
  if (!isJsonObject(value)) {
    throw new PlatformError('input_invalid', 'the body is not a JSON object');
  }
  return value;
}

/** A JSON response; `headers` are added to the content type. */
export function jsonResponse(
  status: number,
  body: JsonValue,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(body),
  };
}

function requireJsonContentType(request: HttpRequest): void {
  const value = singleHeader(request.headers, 'content-type');
  const [type, ...parameters] = (value ?? '').toLowerCase().split(';');
  const plain = parameters.every((parameter) => {
    const [name, charset] = parameter.trim().split('=');
    return name === 'charset' && (charset === 'utf-8' || charset === '"utf-8"');
  });
  if (type?.trim() !== 'application/json' || !plain) {
    throw new PlatformError('content_type_unsupported', 'send content-type: application/json');
  }
}
