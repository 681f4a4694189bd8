// What Envoy refuses by its routes, since it has no other rule for it: targets, methods, hosts and duplicates.

const type = (name: string) => ({ '@type': `type.googleapis.com/envoy.extensions.${name}` });

const continuation = '%[89ABab][0-9A-Fa-f]';
/** Per-cent-encoded: what is neither unreserved nor a separator or control character, and UTF-8. */
const encoded = [
  '%2[0-9A-Ca-c]|%3[A-Fa-f]|%40|%5[BDEbde]|%60|%7[B-Db-d]',
  `%(?:[Cc][2-9A-Fa-f]|[Dd][0-9A-Fa-f])${continuation}`,
  `%[Ee][0-9A-Fa-f](?:${continuation}){2}`,
  `%[Ff][0-4](?:${continuation}){3}`,
].join('|');
const plain = "[A-Za-z0-9_~!$&'()*+,;=:@-]";
const anything = `(?:[.]|${plain}|${encoded})`;
/** Neither empty nor made of one or two dots alone. */
const segment = `(?:[.]{0,2}(?:${plain}|${encoded})|[.]{3})${anything}*`;
const target = `/|(?:/${segment})+`;

const regex = (pattern: string) => ({ safe_regex: { regex: pattern } });
const single = ['content-type', 'authorization', 'x-platform-approval', 'traceparent'];

interface HeaderMatch {
  name: string;
  string_match?: object;
  range_match?: object;
  invert_match?: boolean;
}

/** The buffer is off here, or it would wait for a body that is refused anyway. */
function refuse(status: number, headers: HeaderMatch[], match: object = { prefix: '' }): object {
  return {
    match: { ...match, headers },
    direct_response: { status },
    ...(status === 413
      ? {
          typed_per_filter_config: {
            buffer: { ...type('filters.http.buffer.v3.BufferPerRoute'), disabled: true },
          },
        }
      : {}),
  };
}

/** The routes of one service; Envoy joins headers of one name by commas before it looks at them. */
export function envoyRoutes(cluster: string, bodyBytes: number | undefined): object[] {
  const methods = 'GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS';
  const tooLong = { start: (bodyBytes ?? 0) + 1, end: Number.MAX_SAFE_INTEGER };
  return [
    refuse(405, [{ name: ':method', string_match: regex(methods), invert_match: true }]),
    refuse(400, [
      {
        name: ':authority',
        string_match: regex('[A-Za-z0-9._-]+(?::[0-9]+)?'),
        invert_match: true,
      },
    ]),
    ...single.map((name) => refuse(400, [{ name, string_match: regex('.*,.*') }])),
    ...(bodyBytes === undefined
      ? []
      : [refuse(413, [{ name: 'content-length', range_match: tooLong }])]),
    { match: regex(target), route: { cluster, timeout: '0s' } },
    refuse(400, []),
  ];
}
