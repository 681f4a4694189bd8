// What a proxy asks of a filter for each HTTP stream, whichever Wasm module is behind it.

/** Name (lower case; pseudo-headers `:method`, `:path`, `:authority`, `:scheme`, `:status`) and value, in order. */
export type HeaderPairs = [name: string, value: string][];

export type FilterVerdict =
  /** The stream goes on with these headers, and with its body as it came. */
  | { kind: 'continue'; headers: HeaderPairs }
  /** Nothing may go on yet: the filter decides when it has seen more of the body. `headers` as it set them so far. */
  | { kind: 'wait'; headers: HeaderPairs }
  /** The filter answers by itself; nothing goes to the service. */
  | { kind: 'respond'; status: number; headers: HeaderPairs; body: Uint8Array; detail: string };

/**
 * Properties of the connection and the stream that a filter may read, by Envoy's attribute names
 * joined with dots, such as `connection.uri_san_peer_certificate`, `connection.mtls`, `source.address`.
 */
export type FilterProperties = ReadonlyMap<string, string | boolean | number>;

/** One HTTP stream in a filter; its calls are synchronous and in this order. */
export interface FilterStream {
  /** Decides on the request's head. Never throws: a filter that fails answers `respond` with 503. */
  requestHeaders(headers: HeaderPairs, endOfStream: boolean): FilterVerdict;
  /**
   * The next part of the body of a request whose last verdict was `wait`; the last part, which may be
   * empty, ends it. Never throws, and never answers `wait` at the end: a filter that decides nothing is
   * answered with 503.
   */
  requestBody(chunk: Uint8Array, endOfStream: boolean): FilterVerdict;
  /** The head of the answer, for filters that change it. Never answers `wait`. */
  responseHeaders(headers: HeaderPairs, endOfStream: boolean): FilterVerdict;
  /** What the filter set for the access log (Envoy's dynamic metadata / filter state), such as decision ids. */
  facts(): ReadonlyMap<string, string>;
  /** The stream is over; frees its context. */
  end(): void;
}

export interface Filter {
  stream(properties: FilterProperties): FilterStream;
  /** Streams that run go on to their end; later ones are refused. */
  close(): void;
}
