// What one HTTP stream, or the plugin as a whole, holds for a filter while it is called.
import type { FilterProperties, FilterVerdict, HeaderPairs } from './filter.ts';
import type { HeaderMap } from './header-map.ts';
import type { JoinedBytes } from './joined-bytes.ts';

const FACTS_MAX = 64;
const FACT_NAME_BYTES_MAX = 256;
const FACT_BYTES_MAX = 4096;

/** The plugin's context has no properties of a stream and no headers. */
export class Context {
  readonly id: number;
  readonly properties: FilterProperties;
  /** By map number; only those that the filter may touch in the callback that runs. */
  readonly maps = new Map<number, HeaderMap>();
  /** What has come of the request's body; only for a filter that waits for it. */
  body: JoinedBytes | undefined;
  /** What the filter set by name. */
  readonly facts = new Map<string, string>();
  /** What the filter answers in place of the service, once it does. */
  answer: (FilterVerdict & { kind: 'respond' }) | undefined;
  /** The filter closed or reset the stream. */
  isClosed = false;

  constructor(id: number, properties: FilterProperties = new Map()) {
    this.id = id;
    this.properties = properties;
  }

  /** False when the stream holds as many or as long facts as it may. */
  setFact(name: string, value: string): boolean {
    if (name.length > FACT_NAME_BYTES_MAX || value.length > FACT_BYTES_MAX) return false;
    if (!this.facts.has(name) && this.facts.size >= FACTS_MAX) return false;
    this.facts.set(name, value);
    return true;
  }
}

/** The answer of a proxy whose filter cannot say anything itself; it never lets a request pass. */
export function failedVerdict(code: string, message: string): FilterVerdict {
  const body = {
    type: `tag:platform.io,2026:errors/${code}`,
    title: 'A decision module cannot be used',
    status: 503,
    code,
    detail: message,
  };
  const headers: HeaderPairs = [
    ['content-type', 'application/problem+json'],
    ['cache-control', 'no-store'],
  ];
  return {
    kind: 'respond',
    status: 503,
    headers,
    body: Buffer.from(JSON.stringify(body)),
    detail: code,
  };
}
