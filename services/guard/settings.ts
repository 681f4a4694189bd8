// What an operator sets once for every text that this guard scans.
import type { GuardRequest, ScannerName } from '../../runtime/modules/guard.ts';
import type { TokenEncoding } from '../../runtime/modules/tokens.ts';

/** What a finding does where policy says nothing of its scanner. */
export type Enforcement = 'block' | 'warn';

export interface GuardSettings {
  enabled: 'all' | readonly ScannerName[];
  enforcement: Enforcement;
  /** In thousandths. */
  thresholds: NonNullable<GuardRequest['thresholds']>;
  topics?: NonNullable<GuardRequest['topics']>;
  /** Most tokens of a text; without it none are counted. */
  tokensMax?: number;
  /** Of the model that the prompts are for. */
  tokenEncoding: TokenEncoding;
}

/** As the specification has them where the environment says nothing. */
export const defaultSettings: GuardSettings = {
  enabled: 'all',
  enforcement: 'block',
  thresholds: {},
  tokenEncoding: 'cl100k_base',
};
