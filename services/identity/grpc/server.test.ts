// The Unix-socket server under callers that mean it no good, and when its socket is taken away.
import { once } from 'node:events';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../../../runtime/errors.ts';
import { SpiffeWorkloadAPI } from '../../../runtime/identity/proto/spiffe/workload/workload_pb.js';
import { Caller } from '../../../runtime/testing/caller.ts';
import { grpcTo, securityHeader } from '../testing/identity.ts';
import { startWithAuthority, type TestPlatform } from '../testing/platform.ts';
import { GrpcServer } from './server.ts';

const test = suite('gRPC server');
const deadlineMs = 20_000;
let platform: TestPlatform;
const callers: Caller[] = [];

test.before(async () => {
  platform = await startWithAuthority({
    limits: {
      ...{ connections: 1500, connectionsPerUid: 1000, connectionsPerPid: 400 },
      ...{ streamsPerConnection: 10, requestMs: 300 },
    },
  });
  await platform.enter('/service/gateway', ['service:gateway']);
});
test.after(() => platform.close());
test.after.each(async () => {
  for (const caller of callers.splice(0)) await caller.end();
});

async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + deadlineMs; !(await isDone()); ) {
    if (performance.now() > end) throw new Error('it did not come in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function isServed(path = platform.workloadSocket): Promise<boolean> {
  const client = createClient(SpiffeWorkloadAPI, grpcTo(path, [securityHeader]));
  return client.fetchJWTSVID({ audience: ['a'] }).then(
    () => true,
    () => false,
  );
}

/** Opens a raw connection, and counts when it is closed. */
async function open(closed: { count: number }, path = platform.workloadSocket): Promise<Socket> {
  for (;;) {
    const socket = connect(path).resume();
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      // The kernel refuses what comes faster than it is accepted.
      socket.on('error', () => resolve(false));
    });
    if (isOpen) {
      const count = () => {
        closed.count += 1;
      };
      if (socket.closed) count();
      else socket.once('close', count);
      return socket;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('thousands of connections of one process are bounded, and the server goes on', async () => {
  const closed = { count: 0 };
  const sockets: Socket[] = [];
  for (let batch = 0; batch < 20; batch += 1) {
    sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => open(closed)))));
  }
  await until(() => closed.count >= 1600);
  assert.ok(sockets.length - closed.count <= 400, `${sockets.length - closed.count} are open`);
  assert.ok(
    platform.events.some(
      ({ kind, reason }) => kind === 'workload_refused' && reason === 'pid has 400 connections',
    ),
  );
  for (const socket of sockets) socket.destroy();
  await until(isServed);
});

test('connections that say nothing are let go, and so are those that stop answering', async () => {
  const other = await startWithAuthority({ limits: { keepaliveMs: 300 } });
  await other.enter('/service/gateway', ['service:gateway']);
  const closed = { count: 0 };
  const sockets = await Promise.all(
    Array.from({ length: 20 }, () => open(closed, other.workloadSocket)),
  );
  sockets[0]?.write('PRI * HTTP/2.0\r\n');
  // A whole preface and empty settings, and then no answer to any ping.
  sockets[1]?.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1');
  const stream = other.workload.fetchX509SVID({})[Symbol.asyncIterator]();
  await stream.next();
  await until(() => closed.count === sockets.length);
  await other.authority.rotateNow('x509');
  assert.is((await stream.next()).done, false, 'who answers stays');
  await stream.return?.();
  await other.close();
});

test('a request that is never finished is cut, and a half-closed stream is served', async () => {
  const session = connectHttp2('http://identity', {
    createConnection: () => connect(platform.workloadSocket),
  });
  const headers = {
    ':method': 'POST',
    ':path': '/SpiffeWorkloadAPI/FetchX509SVID',
    'content-type': 'application/grpc',
    te: 'trailers',
    'workload.spiffe.io': 'true',
  };
  const slow = session.request(headers);
  slow.on('error', () => {});
  slow.write(Buffer.from([0, 0, 0]));
  const [code] = await once(slow, 'close').then(() => [slow.rstCode]);
  assert.is(code, constants.NGHTTP2_CANCEL);

  const halfClosed = session.request(headers);
  halfClosed.end(Buffer.from([0, 0, 0, 0, 0]));
  const [chunk] = await once(halfClosed, 'data');
  assert.ok((chunk as Buffer).length > 100);
  halfClosed.close();
  session.close();
});

test('what is no method is not found, and too many streams are refused', async () => {
  const session = connectHttp2('http://identity', {
    createConnection: () => connect(platform.workloadSocket),
  });
  for (const path of [
    '/',
    '/a/b',
    '/SpiffeWorkloadAPI/FetchX509SVID?x',
    '//x/FetchX509SVID',
    '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  ]) {
    const request = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
    });
    const [headers] = await once(request, 'response');
    assert.is(headers[':status'], 404, path);
    request.close();
  }
  const plain = session.request({ ':method': 'GET', ':path': '/SpiffeWorkloadAPI/FetchX509SVID' });
  const [answer] = await once(plain, 'response');
  assert.ok([405, 415].includes(answer[':status'] as number), String(answer[':status']));
  assert.is(session.remoteSettings.maxConcurrentStreams, 10);
  assert.is(session.remoteSettings.maxHeaderListSize, 16_384);
  session.close();
});

test('a socket file that is removed or replaced comes back, and streams go on', async () => {
  const { workload, workloadSocket } = platform;
  const stream = workload.fetchX509SVID({})[Symbol.asyncIterator]();
  await stream.next();
  rmSync(workloadSocket);
  assert.not(await isServed());
  await until(isServed);
  assert.ok(
    platform.events.some(
      ({ kind, reason }) => kind === 'trouble' && reason?.includes('was removed'),
    ),
  );
  renameSync(workloadSocket, `${workloadSocket}.old`);
  writeFileSync(workloadSocket, 'not a socket');
  await until(isServed);
  await platform.authority.rotateNow('x509');
  assert.is((await stream.next()).done, false);
  await stream.return?.();
});

test('two servers do not share a socket, and one that died leaves it to the next', async () => {
  const path = `${platform.folder}/two.sock`;
  const make = () => new GrpcServer({ path, mode: 0o600, routes() {} });
  const first = make();
  await first.listen();
  assert.is(await make().listen().catch(codeOf), 'address_in_use');
  await first.close();
  assert.not(existsSync(path));
  writeFileSync(path, '');
  const second = make();
  await second.listen();
  await second.close();
});

test('the Entry API is for its caller only', async () => {
  const caller = new Caller();
  callers.push(caller);
  const answer = await caller.send(platform.adminSocket, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  assert.match(answer, /^(!ECONNRESET|!EPIPE)?$/);
  const refused = platform.events.findLast(({ kind }) => kind === 'workload_refused');
  assert.equal([refused?.pid, refused?.reason], [caller.pid, 'it may not use this socket']);
});

test('closing ends every stream with a status', async () => {
  const other = await startWithAuthority();
  await other.enter('/service/gateway', ['service:gateway']);
  const stream = other.workload.fetchX509SVID({})[Symbol.asyncIterator]();
  await stream.next();
  const last = stream.next().then(
    () => Code.Unknown,
    (error: unknown) => ConnectError.from(error).code,
  );
  await other.close();
  assert.ok([Code.Canceled, Code.Unavailable, Code.Aborted].includes(await last));
  assert.not(existsSync(other.workloadSocket));
});

test.run();
