// A workload that takes orders (see order-process.ts) and speaks to the Workload API with our own client.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { ConnectError, createClient } from '@connectrpc/connect';
import { SpiffeWorkloadAPI } from '../../../runtime/identity/proto/spiffe/workload/workload_pb.js';
import { grpcTo, securityHeader } from './identity.ts';

interface Order {
  do: 'ids' | 'watch' | 'next' | 'child';
  socket: string;
  role?: string;
}

let watched: AsyncIterator<{ svids: { spiffeId: string }[] }> | undefined;

function open(socket: string) {
  const client = createClient(SpiffeWorkloadAPI, grpcTo(socket, [securityHeader]));
  return client.fetchX509SVID({})[Symbol.asyncIterator]();
}

async function next(stream: typeof watched): Promise<object> {
  const { value } = (await stream?.next()) ?? {};
  return { text: value.svids.map(({ spiffeId }: { spiffeId: string }) => spiffeId).join(' ') };
}

/** The answer of a child of this process, which gets a role variable of its own. */
function child({ socket, role = '' }: Order): Promise<object> {
  const started = spawn(process.execPath, [import.meta.filename], {
    env: { PATH: process.env.PATH, ...(role === '' ? {} : { PLATFORM_ROLE: role }) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  started.stdin.write(`${JSON.stringify({ do: 'ids', socket })}\n`);
  return new Promise((resolve) => {
    createInterface({ input: started.stdout }).once('line', (line) => {
      resolve(JSON.parse(line));
      started.kill('SIGKILL');
    });
  });
}

async function answer(order: Order): Promise<object> {
  if (order.do === 'child') return child(order);
  if (order.do === 'ids') return next(open(order.socket));
  if (order.do === 'watch') watched = open(order.socket);
  return next(watched);
}

for await (const line of createInterface({ input: process.stdin })) {
  const result = await answer(JSON.parse(line) as Order).catch((error: unknown) => ({
    error: ConnectError.from(error).message,
  }));
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
