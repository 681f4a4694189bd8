// Checks the URL that all requests of a service begin with.

import { PlatformError } from '../../../runtime/errors.ts';

/**
 * The URL without a trailing slash. Throws `configuration_invalid` unless it is http or https without
 * credentials, query and fragment.
 */
export function checkBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url !== undefined && !/[?#\\\s]/.test(text) && url.username + url.password === '';
  if (!plain || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new PlatformError(
      'configuration_invalid',
      'the base URL must be http or https, without credentials, query and fragment',
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
