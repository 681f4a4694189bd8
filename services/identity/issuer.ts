// What the servers of workload identity need of the authority.
import type { Authority } from './authority/port.ts';

/** Issues identity documents, publishes trust bundles and takes identities away. */
export type Issuer = Pick<
  Authority,
  | 'trustDomain'
  | 'denied'
  | 'issueX509'
  | 'issueJwt'
  | 'issueWit'
  | 'validateJwt'
  | 'x509Bundle'
  | 'jwtBundle'
  | 'witBundle'
  | 'deny'
  | 'denyList'
  | 'onBundleChange'
  | 'onDenyChange'
>;
