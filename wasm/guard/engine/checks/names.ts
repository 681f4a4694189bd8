// The names by which rules ask for a check of index.ts; the number of a check is its place in this list, from 1.
export const CHECK_NAMES: readonly string[] = [
  'assigned',
  'basic_auth',
  'bech32',
  'github_crc32',
  'gitlab_crc32',
  'grafana_crc32',
  'jwt',
  'letter_digit',
  'mixed_case',
  'pem_body',
  'pypi_macaroon',
  'url_password',
];
