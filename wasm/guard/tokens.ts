// Secrets that announce themselves: tokens with a fixed prefix, alphabet and length (the Secrets scanner).

import * as Kind from './kinds';
import {
  ALNUM,
  at,
  BASE64,
  DIGIT,
  DOT,
  end,
  HEX,
  is,
  LETTER,
  LOWER,
  run,
  starts,
  TOKEN,
  UNDERSCORE,
  UPPER,
} from './text';

const UNBOUNDED: u32 = 0x7fffffff;

let kind: u32 = 0;

/** The kind of the token that `tokenAt` found last. */
export function tokenKind(): u32 {
  return kind;
}

/** The end of a token of `as` at `p`: the prefix, then at least `least` bytes of `mask`; or 0. */
function token(p: u32, prefix: string, mask: u32, least: u32, as: u32): u32 {
  if (!starts(p, prefix)) return 0;
  const from = p + <u32>prefix.length;
  if (end - from < least || run(from, mask, least) - from < least) return 0;
  kind = as;
  return run(from, mask, UNBOUNDED);
}

/** As `token`, but the run must have exactly `length` bytes and no word may continue it. */
function exactToken(p: u32, prefix: string, mask: u32, length: u32, as: u32): u32 {
  if (!starts(p, prefix)) return 0;
  const from = p + <u32>prefix.length;
  if (run(from, mask, length) != from + length || is(from + length, ALNUM)) return 0;
  kind = as;
  return from + length;
}

/** The end of the token that begins at `p`, or 0; `p` must be at a word's beginning. */
export function tokenAt(p: u32): u32 {
  switch (at(p)) {
    case 0x41:
      return amazonOrGoogle(p);
    case 0x47:
      return token(p, 'GOCSPX-', TOKEN, 20, Kind.GOOGLE_OAUTH);
    case 0x53:
      return sendgridOrTwilio(p);
    case 0x64:
      return dataPlatforms(p);
    case 0x67:
      return codeHosts(p);
    case 0x68:
      return huggingFaceOrVault(p);
    case 0x6e:
      return token(p, 'npm_', ALNUM, 36, Kind.NPM_TOKEN);
    case 0x70:
      return token(p, 'pypi-', TOKEN, 50, Kind.PYPI_TOKEN);
    case 0x72:
      return stripe(p, 'rk_live_', 'rk_test_');
    case 0x73:
      return startingWithS(p);
    case 0x77:
      return token(p, 'whsec_', ALNUM | BASE64, 32, Kind.STRIPE_KEY);
    case 0x78:
      return slack(p);
    case 0x79:
      return token(p, 'ya29.', TOKEN | DOT, 20, Kind.GOOGLE_OAUTH);
    default:
      return is(p, DIGIT) ? telegram(p) : 0;
  }
}

function amazonOrGoogle(p: u32): u32 {
  const google = token(p, 'AIza', TOKEN, 35, Kind.GOOGLE_API_KEY);
  if (google != 0) return google;
  const account = exactToken(p, 'AC', HEX, 32, Kind.TWILIO_KEY);
  if (account != 0) return account;
  if (!starts(p, 'AKIA') && !starts(p, 'ASIA') && !starts(p, 'ABIA') && !starts(p, 'ACCA'))
    return 0;
  return exactToken(p, 'A', UPPER | DIGIT, 19, Kind.AWS_ACCESS_KEY_ID);
}

function sendgridOrTwilio(p: u32): u32 {
  if (!starts(p, 'SG.')) return exactToken(p, 'SK', HEX, 32, Kind.TWILIO_KEY);
  const dot = run(p + 3, TOKEN, 23);
  if (dot - p < 3 + 16 || at(dot) != 0x2e) return 0;
  const stop = run(dot + 1, TOKEN, 128);
  if (stop - dot < 1 + 32) return 0;
  kind = Kind.SENDGRID_KEY;
  return stop;
}

function dataPlatforms(p: u32): u32 {
  const docker = token(p, 'dckr_pat_', TOKEN, 20, Kind.DOCKER_TOKEN);
  if (docker != 0) return docker;
  const databricks = exactToken(p, 'dapi', HEX, 32, Kind.DATABRICKS_TOKEN);
  if (databricks != 0) return databricks;
  if (!starts(p, 'dop_v1_') && !starts(p, 'doo_v1_') && !starts(p, 'dor_v1_')) return 0;
  return token(p + 3, '_v1_', HEX, 64, Kind.DIGITALOCEAN_TOKEN);
}

function codeHosts(p: u32): u32 {
  const letter = at(p + 2);
  const isFamily =
    letter == 0x70 || letter == 0x6f || letter == 0x75 || letter == 0x73 || letter == 0x72;
  if (at(p + 1) == 0x68 && isFamily)
    return token(p + 3, '_', ALNUM | UNDERSCORE, 36, Kind.GITHUB_TOKEN);
  const fineGrained = token(p, 'github_pat_', ALNUM | UNDERSCORE, 36, Kind.GITHUB_TOKEN);
  if (fineGrained != 0 || at(p + 1) != 0x6c) return fineGrained;
  // GitLab: personal, project and group, deploy, runner, trigger, feed, job, agent and others.
  const dash = run(p + 2, LOWER, 8);
  if (!isGitlabFamily(p, dash)) return 0;
  return token(dash, '-', TOKEN | DOT, 20, Kind.GITLAB_TOKEN);
}

function isGitlabFamily(p: u32, dash: u32): bool {
  if (dash == p + 4) return starts(p, 'gldt') || starts(p, 'glrt') || starts(p, 'glft');
  if (dash == p + 5) {
    return (
      starts(p, 'glpat') ||
      starts(p, 'glptt') ||
      starts(p, 'glcbt') ||
      starts(p, 'glimt') ||
      starts(p, 'gloas')
    );
  }
  return starts(p, 'glagent') || starts(p, 'glsoat') || starts(p, 'glffct');
}

function huggingFaceOrVault(p: u32): u32 {
  const vault = token(p, 'hvs.', TOKEN, 24, Kind.VAULT_TOKEN);
  if (vault != 0) return vault;
  const face = token(p, 'hf_', ALNUM, 30, Kind.HUGGINGFACE_TOKEN);
  if (face != 0) return face;
  const hook = 'https://hooks.slack.com/services/T';
  if (!starts(p, hook)) return 0;
  const team = run(p + <u32>hook.length, ALNUM, 16);
  const channel = at(team) == 0x2f && at(team + 1) == 0x42 ? run(team + 2, ALNUM, 16) : 0;
  if (channel == 0 || at(channel) != 0x2f) return 0;
  const stop = run(channel + 1, ALNUM, 64);
  if (stop - channel < 1 + 16) return 0;
  kind = Kind.SLACK_WEBHOOK;
  return stop;
}

function stripe(p: u32, live: string, test: string): u32 {
  const found = token(p, live, ALNUM, 16, Kind.STRIPE_KEY);
  return found != 0 ? found : token(p, test, ALNUM, 16, Kind.STRIPE_KEY);
}

function startingWithS(p: u32): u32 {
  if (starts(p, 'shp')) return shopify(p);
  if (!starts(p, 'sk')) return 0;
  const found = stripe(p, 'sk_live_', 'sk_test_');
  if (found != 0) return found;
  const anthropic = token(p, 'sk-ant-', TOKEN, 20, Kind.ANTHROPIC_KEY);
  if (anthropic != 0) return anthropic;
  if (starts(p, 'sk-proj-') || starts(p, 'sk-svcacct-') || starts(p, 'sk-admin-')) {
    return token(p, 'sk-', TOKEN, 32, Kind.OPENAI_KEY);
  }
  return token(p, 'sk-', ALNUM, 32, Kind.OPENAI_KEY);
}

function shopify(p: u32): u32 {
  if (starts(p, 'shpat_') || starts(p, 'shpca_') || starts(p, 'shppa_') || starts(p, 'shpss_')) {
    return exactToken(p + 5, '_', HEX, 32, Kind.SHOPIFY_TOKEN);
  }
  return 0;
}

function slack(p: u32): u32 {
  if (starts(p, 'xapp-')) return token(p, 'xapp-', TOKEN, 20, Kind.SLACK_TOKEN);
  if (!starts(p, 'xox') || !is(p + 3, LETTER) || at(p + 4) != 0x2d) return 0;
  return token(p + 4, '-', TOKEN, 10, Kind.SLACK_TOKEN);
}

/** A bot's number of 8 to 10 digits, a colon and 35 characters that begin with AA. */
function telegram(p: u32): u32 {
  const colon = run(p, DIGIT, 11);
  if (colon - p < 8 || colon - p > 10 || !starts(colon, ':AA')) return 0;
  return exactToken(colon, ':', TOKEN, 35, Kind.TELEGRAM_BOT_TOKEN);
}
