// Every bound of the proxy in one place, with the defaults of both roles.

export interface ProxyLimits {
  /** Largest request body where a route says nothing else; 0 lets a body stream without end. */
  bodyBytes: number;
  /** Of bodies that a filter waits for, all together; and of those of one agent, or on one connection of a service. */
  heldBytes: number;
  heldBytesPerAgent: number;
  /** Of the request's head, as it stands on the wire. */
  headerBytes: number;
  headerCount: number;
  /** Open connections of the listener; what comes on top is closed unread. */
  connections: number;
  /** Of one SPIFFE ID. */
  connectionsPerPeer: number;
  /** TLS handshakes under way at once; the oldest makes way for what comes on top. */
  handshakes: number;
  /** Streams at once on one HTTP/2 connection, and requests at once to the next proxy. */
  streams: number;
  /** Streams at once of one agent, in all of its roles; what comes on top is refused. */
  streamsPerAgent: number;
  /** Requests at once to one service, of everybody. */
  serviceStreams: number;
  /** From the first packet to a verified connection to the next hop. */
  connectTimeoutMs: number;
  /** For TLS handshake and for the head of a request. */
  headTimeoutMs: number;
  /** For the whole body of a request that has a limit. */
  bodyTimeoutMs: number;
  /** How long a connection without any stream is kept. */
  idleTimeoutMs: number;
  /** Silence of a running stream, both ways; longer than any call may be parked for an approval. */
  streamIdleTimeoutMs: number;
  /** From the request's head to the end of the answer; 0 for streams that may stay open. */
  responseTimeoutMs: number;
}

export const defaultLimits: ProxyLimits = {
  bodyBytes: 1024 * 1024,
  heldBytes: 64 * 1024 * 1024,
  heldBytesPerAgent: 8 * 1024 * 1024,
  headerBytes: 16 * 1024,
  headerCount: 100,
  connections: 4096,
  connectionsPerPeer: 512,
  handshakes: 512,
  streams: 256,
  streamsPerAgent: 96,
  // Below what the services themselves take at once.
  serviceStreams: 960,
  connectTimeoutMs: 5000,
  headTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
  idleTimeoutMs: 60_000,
  streamIdleTimeoutMs: 330_000,
  responseTimeoutMs: 0,
};
