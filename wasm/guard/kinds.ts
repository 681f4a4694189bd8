// The kinds of findings, numbered in the order of scanner name, then kind name, so that numbers sort as names do.

import { writeAscii } from '../common/writer';

// InvisibleText
export const BIDI_CONTROL: u32 = 0;
export const DIRECTIONAL_MARK: u32 = 1;
export const INVISIBLE_FORMAT: u32 = 2;
export const NONCHARACTER: u32 = 3;
export const PRIVATE_USE: u32 = 4;
export const TAG_CHARACTERS: u32 = 5;
export const VARIATION_SELECTOR: u32 = 6;
export const ZERO_WIDTH: u32 = 7;

// PII
export const CREDIT_CARD: u32 = 8;
export const EMAIL: u32 = 9;
export const IBAN: u32 = 10;
export const PHONE: u32 = 11;
export const SSN: u32 = 12;

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

/** Writes the name of the scanner that reports `kind`. */
export function writeScanner(kind: u32): void {
  if (kind < CREDIT_CARD) writeAscii('InvisibleText');
  else if (kind < ANTHROPIC_KEY) writeAscii('PII');
  else writeAscii('Secrets');
}

/** Writes the name of `kind`, as findings carry it. */
export function writeKind(kind: u32): void {
  switch (kind) {
    case BIDI_CONTROL:
      writeAscii('bidi_control');
      break;
    case DIRECTIONAL_MARK:
      writeAscii('directional_mark');
      break;
    case INVISIBLE_FORMAT:
      writeAscii('invisible_format');
      break;
    case NONCHARACTER:
      writeAscii('noncharacter');
      break;
    case PRIVATE_USE:
      writeAscii('private_use');
      break;
    case TAG_CHARACTERS:
      writeAscii('tag_characters');
      break;
    case VARIATION_SELECTOR:
      writeAscii('variation_selector');
      break;
    case ZERO_WIDTH:
      writeAscii('zero_width');
      break;
    case CREDIT_CARD:
      writeAscii('credit_card');
      break;
    case EMAIL:
      writeAscii('email');
      break;
    case IBAN:
      writeAscii('iban');
      break;
    case PHONE:
      writeAscii('phone');
      break;
    case SSN:
      writeAscii('ssn');
      break;
    case ANTHROPIC_KEY:
      writeAscii('anthropic_key');
      break;
    case AWS_ACCESS_KEY_ID:
      writeAscii('aws_access_key_id');
      break;
    case AWS_SECRET_ACCESS_KEY:
      writeAscii('aws_secret_access_key');
      break;
    case AZURE_CLIENT_SECRET:
      writeAscii('azure_client_secret');
      break;
    case AZURE_STORAGE_KEY:
      writeAscii('azure_storage_key');
      break;
    case DATABRICKS_TOKEN:
      writeAscii('databricks_token');
      break;
    case DIGITALOCEAN_TOKEN:
      writeAscii('digitalocean_token');
      break;
    case DOCKER_TOKEN:
      writeAscii('docker_token');
      break;
    case GITHUB_TOKEN:
      writeAscii('github_token');
      break;
    case GITLAB_TOKEN:
      writeAscii('gitlab_token');
      break;
    case GOOGLE_API_KEY:
      writeAscii('google_api_key');
      break;
    case GOOGLE_OAUTH:
      writeAscii('google_oauth');
      break;
    case HUGGINGFACE_TOKEN:
      writeAscii('huggingface_token');
      break;
    case JWT:
      writeAscii('jwt');
      break;
    case NPM_TOKEN:
      writeAscii('npm_token');
      break;
    case OPENAI_KEY:
      writeAscii('openai_key');
      break;
    case PASSWORD_ASSIGNMENT:
      writeAscii('password_assignment');
      break;
    case PRIVATE_KEY:
      writeAscii('private_key');
      break;
    case PYPI_TOKEN:
      writeAscii('pypi_token');
      break;
    case SENDGRID_KEY:
      writeAscii('sendgrid_key');
      break;
    case SHOPIFY_TOKEN:
      writeAscii('shopify_token');
      break;
    case SLACK_TOKEN:
      writeAscii('slack_token');
      break;
    case SLACK_WEBHOOK:
      writeAscii('slack_webhook');
      break;
    case STRIPE_KEY:
      writeAscii('stripe_key');
      break;
    case TELEGRAM_BOT_TOKEN:
      writeAscii('telegram_bot_token');
      break;
    case TWILIO_KEY:
      writeAscii('twilio_key');
      break;
    case URL_CREDENTIALS:
      writeAscii('url_credentials');
      break;
    case VAULT_TOKEN:
      writeAscii('vault_token');
      break;
    default:
      unreachable();
  }
}
