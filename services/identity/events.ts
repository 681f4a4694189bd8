// What the identity server tells of itself: for evidence, metrics and people; never a key or a token.

export interface IdentityEvent {
  kind:
    | 'entry_created'
    | 'entry_updated'
    | 'entry_deleted'
    | 'x509_svid_issued'
    | 'jwt_svid_issued'
    | 'wit_svid_issued'
    | 'workload_refused'
    | 'stream_opened'
    | 'stream_closed'
    | 'trouble';
  spiffeId?: string;
  entryId?: string;
  pid?: number;
  uid?: number;
  /** Why a workload was refused, which stream it is, or what the trouble was. */
  reason?: string;
}

export type OnIdentityEvent = (event: IdentityEvent) => void;
