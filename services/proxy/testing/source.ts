// A source of SVIDs that tests renew by hand, and a deny-list that they fill.
import type {
  DenyView,
  X509Context,
  X509Source,
  X509Svid,
} from '../../../runtime/identity/workload/x509.ts';
import type { TestCa } from '../../../runtime/testing/certificates.ts';

/** A source whose context tests set. */
export class TestSource implements X509Source {
  isConnected = true;
  #context: X509Context;
  readonly #listeners = new Set<(context: X509Context) => void>();

  constructor(context: X509Context) {
    this.#context = context;
  }

  current(): X509Context {
    return this.#context;
  }

  set(context: X509Context): void {
    this.#context = context;
    for (const listener of this.#listeners) listener(context);
  }

  onChange(listener: (context: X509Context) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  state(): { isConnected: boolean; updatedAt: Date } {
    return { isConnected: this.isConnected, updatedAt: new Date() };
  }

  async close(): Promise<void> {}
}

/** A deny-list that tests fill. */
export class TestDenied implements DenyView {
  readonly #issuedBefore = new Map<string, number>();
  readonly #listeners = new Set<() => void>();

  deny(spiffeId: string, issuedBefore = Math.floor(Date.now() / 1000) + 1): void {
    this.#issuedBefore.set(spiffeId, issuedBefore);
    for (const listener of this.#listeners) listener();
  }

  isDenied(spiffeId: string, issuedAt: number): boolean {
    return issuedAt < (this.#issuedBefore.get(spiffeId) ?? 0);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  staleMs = 0;

  staleForMs(): number {
    return this.staleMs;
  }
}

/** A context of these SVIDs under one trust domain's CAs. */
export function contextOf(
  trustDomain: string,
  svids: X509Svid[],
  authorities: TestCa[],
): X509Context {
  return {
    svids,
    bundles: new Map([[trustDomain, authorities.map(({ certificate }) => certificate)]]),
  };
}
