// Properties of a stream, by Envoy's attribute names, as the bytes that Envoy would hand over.
// https://www.envoyproxy.io/docs/envoy/v1.40.0/intro/arch_overview/advanced/attributes
import { MAP } from './abi.ts';
import type { Context } from './context.ts';

const OF_HEADERS: Record<string, string> = {
  'request.method': ':method',
  'request.path': ':path',
  'request.host': ':authority',
  'request.scheme': ':scheme',
};

/**
 * The value of a path whose parts NUL separates: text as it is, a truth value as one byte, a number
 * as 64 bits little-endian. What the filter set itself is found under its own name.
 */
export function propertyOf(context: Context, path: string): Uint8Array | undefined {
  const name = path.replaceAll('\0', '.');
  const value = context.properties.get(name) ?? ofRequest(context, name) ?? context.facts.get(name);
  if (value === undefined) return undefined;
  if (typeof value === 'boolean') return Uint8Array.of(value ? 1 : 0);
  if (typeof value === 'string') return Buffer.from(value);
  const bytes = Buffer.alloc(8);
  if (Number.isSafeInteger(value)) bytes.writeBigInt64LE(BigInt(value));
  else bytes.writeDoubleLE(value);
  return bytes;
}

function ofRequest(context: Context, name: string): string | undefined {
  const header = OF_HEADERS[name] ?? (name.startsWith('request.headers.') ? name.slice(16) : '');
  return header === '' ? undefined : context.maps.get(MAP.requestHeaders)?.value(header);
}
