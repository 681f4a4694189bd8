// The kinds of findings that the code itself knows; those of the rules are named in the rule tables.

import { writeAscii } from '../common/writer';
import { compareRuleKinds, writeRuleKind } from './engine/kinds';
import { FIRST_KIND, personalName } from './pii/kinds';

/** Set in the number of a kind whose name stands in the rule tables. */
export const RULE_KIND: u32 = 0x8000;

// InvisibleText
export const BIDI_CONTROL: u32 = 0;
export const DIRECTIONAL_MARK: u32 = 1;
export const INVISIBLE_FORMAT: u32 = 2;
export const NONCHARACTER: u32 = 3;
export const PRIVATE_USE: u32 = 4;
export const TAG_CHARACTERS: u32 = 5;
export const VARIATION_SELECTOR: u32 = 6;
export const ZERO_WIDTH: u32 = 7;

// Secrets
export const ANTHROPIC_KEY: u32 = 13;
export const AWS_ACCESS_KEY_ID: u32 = 14;
export const AWS_SECRET_ACCESS_KEY: u32 = 15;
export const AZURE_CLIENT_SECRET: u32 = 16;
export const AZURE_STORAGE_KEY: u32 = 17;
export const DATABRICKS_TOKEN: u32 = 18;
export const DIGITALOCEAN_TOKEN: u32 = 19;
export const DOCKER_TOKEN: u32 = 20;
export const GITHUB_TOKEN: u32 = 21;
export const GITLAB_TOKEN: u32 = 22;
export const GOOGLE_API_KEY: u32 = 23;
export const GOOGLE_OAUTH: u32 = 24;
export const HUGGINGFACE_TOKEN: u32 = 25;
export const JWT: u32 = 26;
export const NPM_TOKEN: u32 = 27;
export const OPENAI_KEY: u32 = 28;
export const PASSWORD_ASSIGNMENT: u32 = 29;
export const PRIVATE_KEY: u32 = 30;
export const PYPI_TOKEN: u32 = 31;
export const SENDGRID_KEY: u32 = 32;
export const SHOPIFY_TOKEN: u32 = 33;
export const SLACK_TOKEN: u32 = 34;
export const SLACK_WEBHOOK: u32 = 35;
export const STRIPE_KEY: u32 = 36;
export const TELEGRAM_BOT_TOKEN: u32 = 37;
export const TWILIO_KEY: u32 = 38;
export const URL_CREDENTIALS: u32 = 39;
export const VAULT_TOKEN: u32 = 40;

/** The name of a kind that is no rule's. */
function nameOf(kind: u32): string {
  switch (kind) {
    case BIDI_CONTROL:
      return 'bidi_control';
    case DIRECTIONAL_MARK:
      return 'directional_mark';
    case INVISIBLE_FORMAT:
      return 'invisible_format';
    case NONCHARACTER:
      return 'noncharacter';
    case PRIVATE_USE:
      return 'private_use';
    case TAG_CHARACTERS:
      return 'tag_characters';
    case VARIATION_SELECTOR:
      return 'variation_selector';
    case ZERO_WIDTH:
      return 'zero_width';
    case ANTHROPIC_KEY:
      return 'anthropic_key';
    case AWS_ACCESS_KEY_ID:
      return 'aws_access_key_id';
    case AWS_SECRET_ACCESS_KEY:
      return 'aws_secret_access_key';
    case AZURE_CLIENT_SECRET:
      return 'azure_client_secret';
    case AZURE_STORAGE_KEY:
      return 'azure_storage_key';
    case DATABRICKS_TOKEN:
      return 'databricks_token';
    case DIGITALOCEAN_TOKEN:
      return 'digitalocean_token';
    case DOCKER_TOKEN:
      return 'docker_token';
    case GITHUB_TOKEN:
      return 'github_token';
    case GITLAB_TOKEN:
      return 'gitlab_token';
    case GOOGLE_API_KEY:
      return 'google_api_key';
    case GOOGLE_OAUTH:
      return 'google_oauth';
    case HUGGINGFACE_TOKEN:
      return 'huggingface_token';
    case JWT:
      return 'jwt';
    case NPM_TOKEN:
      return 'npm_token';
    case OPENAI_KEY:
      return 'openai_key';
    case PASSWORD_ASSIGNMENT:
      return 'password_assignment';
    case PRIVATE_KEY:
      return 'private_key';
    case PYPI_TOKEN:
      return 'pypi_token';
    case SENDGRID_KEY:
      return 'sendgrid_key';
    case SHOPIFY_TOKEN:
      return 'shopify_token';
    case SLACK_TOKEN:
      return 'slack_token';
    case SLACK_WEBHOOK:
      return 'slack_webhook';
    case STRIPE_KEY:
      return 'stripe_key';
    case TELEGRAM_BOT_TOKEN:
      return 'telegram_bot_token';
    case TWILIO_KEY:
      return 'twilio_key';
    case URL_CREDENTIALS:
      return 'url_credentials';
    case VAULT_TOKEN:
      return 'vault_token';
    default:
      return kind >= FIRST_KIND ? personalName(kind) : unreachable();
  }
}

/** Writes the name of a kind to the output. */
export function writeKind(kind: u32): void {
  if ((kind & RULE_KIND) != 0) writeRuleKind(kind ^ RULE_KIND);
  else writeAscii(nameOf(kind));
}

/** Whether the name of one kind sorts before another's. */
export function kindPrecedes(kind: u32, other: u32): bool {
  const isRule = (kind & RULE_KIND) != 0;
  // Kinds of both sorts are never of one scanner.
  if (isRule != ((other & RULE_KIND) != 0)) return !isRule;
  if (isRule) return compareRuleKinds(kind ^ RULE_KIND, other ^ RULE_KIND) < 0;
  return compareNames(nameOf(kind), nameOf(other)) < 0;
}

/** Compares two ASCII literals without the managed heap. */
function compareNames(a: string, b: string): i32 {
  const shorter = min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const difference =
      <i32>load<u16>(changetype<usize>(a) + ((<usize>i) << 1)) -
      <i32>load<u16>(changetype<usize>(b) + ((<usize>i) << 1));
    if (difference != 0) return difference;
  }
  return a.length - b.length;
}
