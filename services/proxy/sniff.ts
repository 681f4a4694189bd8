// Tells HTTP/2 with prior knowledge from HTTP/1.1 by the first bytes of a connection.
import type { Socket } from 'node:net';
import type { Protocol } from './streams.ts';

// RFC 9113, section 3.4. No HTTP/1.1 method begins with these, so the first difference tells.
const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** Calls `done` once it is clear; a connection that says too little within `timeoutMs` is closed. */
export function sniffProtocol(
  socket: Socket,
  timeoutMs: number,
  done: (protocol: Protocol) => void,
): void {
  let seen: Buffer = Buffer.alloc(0);
  const gone = () => socket.destroy();
  const timer = setTimeout(gone, timeoutMs);
  const stop = () => clearTimeout(timer);
  socket.on('error', gone).once('end', gone).once('close', stop);
  socket.on('data', function read(chunk: Buffer) {
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
    const length = Math.min(seen.length, preface.length);
    const isPreface = seen.subarray(0, length).equals(preface.subarray(0, length));
    if (isPreface && length < preface.length) return;
    socket.off('data', read).off('error', gone).off('end', gone).off('close', stop);
    stop();
    socket.pause();
    socket.unshift(seen);
    done(isPreface ? 'h2' : 'http/1.1');
    if (!isPreface) socket.resume();
  });
}
