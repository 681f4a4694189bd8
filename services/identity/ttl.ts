// How long documents may live, and how an operator writes it.

/** The default life of an X.509-SVID that an operator may set, in seconds. */
export const svidTtlBounds = { min: 300, max: 24 * 3600 };

const unitSeconds: Record<string, number> = { '': 1, s: 1, m: 60, h: 3600 };

/** The seconds of `300`, `300s`, `5m` or `1h`; undefined for anything else. */
export function secondsOf(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,9})([smh]?)$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * (unitSeconds[unit] ?? 1);
}
