// Members of decision requests that every host has to refuse, for the tests of each.

const salt = '5a'.repeat(32);

/** No padding, too much, bits that it leaves over, another alphabet, white space, something behind. */
export const NOT_BASE64: readonly string[] = [
  ...['e30', 'e30==', 'e31=', 'e3==', 'e30=e30=', 'e30=x', 'e3 0=', ' e30=', 'e30=\n'],
  ...['e30-', '-_-_', 'é30=', '=', '====', 'e', 'e30\u0000'],
];

/** Fewer and more digits, digits with something behind or between them, and none. */
export const NO_SALTS: readonly string[] = [
  ...['', salt.slice(2), salt.slice(1), `${salt}5a`, `${salt}5`, `${salt}zz`, `${salt}\n`],
  ...[`${salt.slice(2)}zz`, `${salt.slice(0, 32)} ${salt.slice(32)}`, ` ${salt.slice(1)}`],
  ...[`0x${salt.slice(2)}`, '５'.repeat(64)],
];
