// Connects to Unix sockets on order: one JSON order a line in, one JSON string a line out.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

function send(socketPath, raw, next) {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    let received = '';
    socket.setEncoding('latin1');
    socket.on('connect', () => socket.write(raw, 'latin1'));
    socket.on('data', (chunk) => {
      received += chunk;
    });
    if (next !== undefined) socket.once('data', () => socket.write(next, 'latin1'));
    socket.on('error', (error) => {
      received += `!${error.code}`;
    });
    socket.on('close', () => resolve(received));
  });
}

function viaChild({ socketPath, raw, childEnvironment, orphan }) {
  return new Promise((resolve) => {
    const order = JSON.stringify({ socketPath, raw, orphan });
    const runner = orphan
      ? ['sh', ['-c', '"$0" "$1" --once "$2" $$ &', process.execPath]]
      : undefined;
    const script = process.argv[1];
    const child = runner
      ? spawn(runner[0], [...runner[1], script, order], { env: childEnvironment })
      : spawn(process.execPath, [script, '--once', order], { env: childEnvironment });
    let received = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      received += chunk;
    });
    child.on('close', () => resolve(JSON.parse(received)));
  });
}

/** Waits until the shell between this process and the tests has ended. */
async function untilOrphaned(parent) {
  const isAlive = () => {
    try {
      return !readFileSync(`/proc/${parent}/stat`, 'latin1').includes(') Z');
    } catch {
      return false;
    }
  };
  while (isAlive()) await new Promise((resolve) => setTimeout(resolve, 5));
}

if (process.argv[2] === '--once') {
  const order = JSON.parse(process.argv[3]);
  if (order.orphan) await untilOrphaned(Number(process.argv[4]));
  process.stdout.write(JSON.stringify(await send(order.socketPath, order.raw)));
} else {
  for await (const line of createInterface({ input: process.stdin })) {
    const order = JSON.parse(line);
    let answer = '';
    if (order.do === 'mark') {
      const { markThisThread } = await import('../identity/mark.ts');
      answer = markThisThread() ? 'marked' : 'refused';
    } else if (order.do === 'hold') {
      await new Promise((resolve) => connect(order.socketPath, resolve));
    } else if (order.childEnvironment === undefined) {
      answer = await send(order.socketPath, order.raw, order.next);
    } else {
      answer = await viaChild(order);
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}
