// A workload that takes orders (see order-process.ts) and opens more of the Workload API than it may have.
import { spawn } from 'node:child_process';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

interface Order {
  do: 'flood' | 'child';
  socket: string;
  /** The method to call. */
  path: string;
  connections: string;
  streams: string;
  /** Whether each stream is reset as soon as it has been opened. */
  reset?: string;
}

/** How many calls began, by gRPC status where they ended at once; everything stays open. */
async function flood({ socket, path, connections, streams, reset }: Order): Promise<object> {
  const statuses: Record<string, number> = {};
  const count = (what: string) => {
    statuses[what] = (statuses[what] ?? 0) + 1;
  };
  const calls: Promise<void>[] = [];
  for (let index = 0; index < Number(connections); index += 1) {
    const session = connectHttp2('http://identity', { createConnection: () => connect(socket) });
    session.on('error', () => {});
    for (let each = 0; each < Number(streams); each += 1) {
      const request = session.request({
        ...{ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' },
        ...{ te: 'trailers', 'workload.spiffe.io': 'true' },
      });
      calls.push(
        new Promise<void>((resolve) => {
          let status: string | undefined;
          const tell = (what: string) => {
            if (status === undefined) count(what);
            status = what;
            resolve();
          };
          request.on('response', (headers) => {
            const refusal = headers['grpc-status'];
            if (refusal !== undefined) tell(`status ${refusal}`);
          });
          request.on('trailers', (headers) => tell(`status ${headers['grpc-status']}`));
          request.once('data', () => tell('served'));
          request.on('error', () => tell('cut'));
          request.on('close', () => tell('cut'));
        }),
      );
      request.end(Buffer.alloc(5));
      if (reset === 'true') setImmediate(() => request.close(8)); // CANCEL
    }
  }
  await Promise.all(calls);
  return { text: JSON.stringify(statuses) };
}

/** The same by a child of this process, which lives as long as it. */
function child(order: Order): Promise<object> {
  const started = spawn(process.execPath, [import.meta.filename], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  process.once('exit', () => started.kill('SIGKILL'));
  started.stdin.write(`${JSON.stringify({ ...order, do: 'flood' })}\n`);
  return new Promise((resolve) => {
    createInterface({ input: started.stdout }).once('line', (line) => resolve(JSON.parse(line)));
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as Order;
  const result = await (order.do === 'child' ? child(order) : flood(order));
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
process.exit();
