// What a workload holds after it has proved who it is: X.509-SVIDs, trust bundles, and where they come from.

/** One X.509-SVID with its private key. */
export interface X509Svid {
  spiffeId: string;
  /** DER, the SVID itself first. */
  certificates: readonly Uint8Array[];
  /** PKCS#8 DER, unencrypted. */
  privateKey: Uint8Array;
  hint: string;
  notBefore: Date;
  notAfter: Date;
}

/** All that one answer of the Workload API holds. */
export interface X509Context {
  /** At least one; the first is the default. */
  svids: readonly X509Svid[];
  /** CA certificates (DER) by trust domain name, without `spiffe://`. */
  bundles: ReadonlyMap<string, readonly Uint8Array[]>;
}

/** Keeps a context current; whoever holds TLS contexts renews them on change. */
export interface X509Source {
  /** The newest context; it may have expired if the identity server was away for that long. */
  current(): X509Context;
  /** Called with each newer context; returns how to stop listening. */
  onChange(listener: (context: X509Context) => void): () => void;
  /** Whether the server answers, and when it last did. */
  state(): { isConnected: boolean; updatedAt: Date };
  close(): Promise<void>;
}

/** Which identities have been taken away; see deny-list.ts for the one that the server keeps current. */
export interface DenyView {
  /** `issuedAt`: when the SVID at hand was issued, in seconds since 1970. */
  isDenied(spiffeId: string, issuedAt: number): boolean;
  /** Called after each change; returns how to stop listening. */
  onChange(listener: () => void): () => void;
  /** Milliseconds since the server was last heard. */
  staleForMs(): number;
}

/**
 * Every X.509-SVID's `notBefore` lies this long before it was issued, so that a verifier whose clock
 * is behind takes a fresh one; issue time = `notBefore` + this.
 */
export const backdateSeconds = 300;
