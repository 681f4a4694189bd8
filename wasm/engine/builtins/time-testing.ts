// Moments, time zones, layouts and durations for tests, with the mistakes that people make in them.
import fc from 'fast-check';

/** Zones of all kinds: with and without summer, south of the equator, half hours, changes of the date. */
export const zones = [
  'America/New_York',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Tokyo',
  'Australia/Lord_Howe',
  'Australia/Sydney',
  'Europe/Dublin',
  'Europe/Vienna',
  'Pacific/Apia',
  'Pacific/Chatham',
];

/** Names that OPA takes, and some that it does not. */
export const zone = fc.oneof(
  fc.constantFrom(...zones),
  fc.constantFrom('', 'UTC', 'EST5EDT', 'Etc/GMT+5', 'Antarctica/Troll', 'Africa/El_Aaiun', 'GB'),
  fc.constantFrom('Nowhere', 'europe/vienna', 'America/', '/Europe/Vienna', 'Europe/Vienna '),
);

/** Nanoseconds since 1970. */
export const moment = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.integer({ min: -4_000_000_000, max: 4_000_000_000 }).map((s) => BigInt(s) * 1_000_000_000n),
);

const parts = [
  ...['2006', '06', '01', '1', 'Jan', 'January', '02', '_2', '2', '002', '__2', '15', '03', '3'],
  ...['04', '4', '05', '5', 'PM', 'pm', 'MST', 'Mon', 'Monday', 'Z0700', 'Z07:00', 'Z07'],
  ...['Z070000', 'Z07:00:00', '-0700', '-07:00', '-07', '-070000', '-07:00:00', '.000', '.999'],
  ...[',00', '.999999999', '.000000000', '.0000000000000', '_2006', 'Month', '0', '.09'],
  ...[' ', '  ', '-', 'T', '/', ':', 'é', 'x'],
];

/** Layouts: the names of Go's, common ones, and any parts in a row. */
export const layout = fc.oneof(
  fc.constantFrom('ANSIC', 'UnixDate', 'RubyDate', 'RFC822', 'RFC822Z', 'RFC850', 'RFC1123'),
  fc.constantFrom(
    'RFC1123Z',
    'RFC3339',
    'RFC3339Nano',
    '',
    '2006-01-02',
    '3:04PM 2006',
    '2006-002',
  ),
  fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 8 }).map((list) => list.join('')),
);

const noise = fc.constantFrom(
  ...['-', '+', ' ', 'Z', '9', '0', '.', ',', ':', 'GMT+5', 'GMT-24', 'UTC', 'ChST', 'WITA'],
  ...['ABCDE', 'ABCDT', 'am', 'PM', '60', '24', '31', '366', 'é', '+03', 'jan', '-00', '\0'],
);

/** A change to a text: nothing, something removed, or noise put in. */
export const spoiled = fc
  .tuple(fc.nat(3), fc.nat(), fc.nat(2), noise)
  .map(([how, at, removed, text]) => (whole: string): string => {
    if (how < 2) return whole;
    const index = at % (whole.length + 1);
    return whole.slice(0, index) + (how === 2 ? text : '') + whole.slice(index + removed);
  });

const amount = fc.oneof(
  fc.constantFrom('0', '1', '1.5', '.5', '1.', '.', '', '1.2.3', '000.100', '0.1', '1e3', '-1'),
  fc.constantFrom('9223372036854775807', '9223372036854775808', '0.3333333333333333333', '292'),
  fc.nat(9999).map(String),
  fc.double({ min: 0, max: 3000, noNaN: true }).map((number) => number.toFixed(6)),
);
const unit = fc.constantFrom(
  ...['h', 'm', 's', 'ms', 'us', 'µs', 'μs', 'ns', 'd', 'w', 'y', 'x', ''],
);

/** Durations, most of them right. */
export const duration = fc
  .tuple(
    fc.constantFrom('', '', '-', '+', '--'),
    fc.array(fc.tuple(amount, unit), { maxLength: 3 }),
  )
  .map(([sign, list]) => sign + list.flat().join(''));
