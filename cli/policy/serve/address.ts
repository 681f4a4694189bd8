// Where a server of policies listens: a host and a port, on this machine unless it is said.
import { isIP } from 'node:net';
import { UsageError } from '../../options.ts';

export interface TcpAddress {
  host: string;
  port: number;
}

/** Reads `HOST:PORT`, `[IPv6]:PORT` or `:PORT`; throws a UsageError for anything else. */
export function addressOf(text: string): TcpAddress {
  const colon = text.lastIndexOf(':');
  const digits = text.slice(colon + 1);
  const port = colon < 0 || !/^\d{1,5}$/.test(digits) ? -1 : Number(digits);
  const written = text.slice(0, Math.max(colon, 0));
  const isBracketed = written.startsWith('[') && written.endsWith(']');
  const host = isBracketed ? written.slice(1, -1) : written || '127.0.0.1';
  const isHost = isBracketed ? isIP(host) === 6 : isIP(host) === 4 || host === 'localhost';
  if (port < 0 || port > 65_535 || !isHost) {
    throw new UsageError('--addr is HOST:PORT with an IP address or localhost');
  }
  return { host, port };
}

/** True for addresses that no other machine reaches. */
export function isLoopback({ host }: TcpAddress): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
