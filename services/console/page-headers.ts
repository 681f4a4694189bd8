// What every file of the local pages is sent with: they load nothing from elsewhere, and nobody frames them.

/** Headers of a page's file; `directives` are added to its policy of contents, which lets scripts come from here only. */
export function pageHeaders(
  scripts = "'self'",
  directives: readonly string[] = [],
): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `script-src ${scripts}`,
    ...directives,
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'cache-control': 'no-store',
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  };
}
