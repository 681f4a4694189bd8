// A Workload API that says what a test tells it to, over real gRPC on a real Unix socket.
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { DenyList } from '../identity/proto/platform/identity/v1/deny_list_pb.js';
import { SpiffeWorkloadAPI } from '../identity/proto/spiffe/workload/workload_pb.js';
import type { X509Svid } from '../identity/workload/x509.ts';

/** What the server sends; an error ends the stream with it. */
export interface WorkloadAnswers {
  x509: { svids: X509Svid[]; bundle: Uint8Array } | ConnectError;
  jwtBundles: Record<string, string>;
  denyList: string;
}

export class FakeWorkloadApi {
  readonly socketPath: string;
  answers: WorkloadAnswers;
  #server: Http2Server | undefined;
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #wakers = new Set<() => void>();

  constructor(socketPath: string, answers: WorkloadAnswers) {
    this.socketPath = socketPath;
    this.answers = answers;
  }

  /** Replaces some answers and sends them on every open stream. */
  send(change: Partial<WorkloadAnswers>): void {
    this.answers = { ...this.answers, ...change };
    for (const wake of [...this.#wakers]) wake();
  }

  async start(): Promise<void> {
    const server = createServer(
      connectNodeAdapter({
        ...{ grpc: true, grpcWeb: false, connect: false },
        routes: (router) => {
          router.service(SpiffeWorkloadAPI, {
            fetchX509SVID: (_, context) => this.#stream(context, () => this.#x509()),
            fetchJWTBundles: (_, context) => this.#stream(context, () => this.#bundles()),
          });
          router.service(DenyList, {
            watch: (_, context) => this.#watch(context, () => ({ jws: this.answers.denyList })),
          });
        },
      }),
    );
    server.on('session', (session) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
    });
    server.listen(this.socketPath);
    await once(server, 'listening');
    this.#server = server;
  }

  /** As when the process dies: every connection is cut and the socket is gone. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const session of this.#sessions) session.destroy();
    for (const wake of [...this.#wakers]) wake();
    await closed;
    rmSync(this.socketPath, { force: true });
  }

  async *#stream<T>(context: HandlerContext, answer: () => T): AsyncGenerator<T> {
    if (context.requestHeader.get('workload.spiffe.io') !== 'true') {
      throw new ConnectError('security header missing from request', Code.InvalidArgument);
    }
    yield* this.#watch(context, answer);
  }

  async *#watch<T>(context: HandlerContext, answer: () => T): AsyncGenerator<T> {
    while (!context.signal.aborted && this.#server !== undefined) {
      yield answer();
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#wakers.delete(wake);
          resolve();
        };
        this.#wakers.add(wake);
        context.signal.addEventListener('abort', wake, { once: true });
      });
    }
  }

  #x509() {
    const { x509 } = this.answers;
    if (x509 instanceof ConnectError) throw x509;
    return {
      svids: x509.svids.map((svid) => ({
        ...{ spiffeId: svid.spiffeId, hint: svid.hint, bundle: x509.bundle },
        ...{ x509Svid: Buffer.concat(svid.certificates), x509SvidKey: svid.privateKey },
      })),
    };
  }

  #bundles() {
    const found = Object.entries(this.answers.jwtBundles);
    return { bundles: Object.fromEntries(found.map(([id, text]) => [id, Buffer.from(text)])) };
  }
}
