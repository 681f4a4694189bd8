// What the page asks with: the token of its address, and a request as every other host takes it.
import { byId } from './dom.ts';

/** The token comes in the fragment once; it is kept for this tab and taken out of the address. */
export function takeToken(): string {
  const given = location.hash.slice(1);
  if (given !== '') {
    sessionStorage.setItem('token', given);
    history.replaceState(null, '', location.pathname);
  }
  return sessionStorage.getItem('token') ?? '';
}

/** The salt that stands in the page, 64 hex digits; a random one where it is none. */
export function saltOf(): string {
  const field = byId<HTMLInputElement>('salt');
  if (!/^[0-9a-f]{64}$/.test(field.value)) {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    field.value = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
  return field.value;
}

/** A request of the one wire (runtime/decide/wire.ts), as a line. */
export function wireLine({ boundary, input, salt }: Record<'boundary' | 'input' | 'salt', string>) {
  const bytes = new TextEncoder().encode(input);
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return JSON.stringify({ boundary, module: 'authorization', input: base64, salt });
}
