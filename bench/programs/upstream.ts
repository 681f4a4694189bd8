// A service that reads what it is sent and answers shortly; prints the port of the loopback that it listens on.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((incoming, answer) => {
  incoming.resume().once('end', () => answer.end('reached'));
});
server.keepAliveTimeout = 3_600_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
