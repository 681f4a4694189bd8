// The scanners' numbers, in the order of their names, and their thresholds in thousandths.

export const INVISIBLE_TEXT: u32 = 0;
export const PII: u32 = 1;
export const PROMPT_INJECTION: u32 = 2;
export const RELEVANCE: u32 = 3;
export const SECRETS: u32 = 4;
export const TOKEN_LIMIT: u32 = 5;
export const TOPIC_BOUNDARY: u32 = 6;
export const TOXICITY: u32 = 7;
/** How many there are. */
export const SCANNERS: u32 = 8;

/** The scanners that are built, a bit each; a request for another one is refused. */
export const BUILT: u32 =
  (1 << INVISIBLE_TEXT) |
  (1 << PII) |
  (1 << PROMPT_INJECTION) |
  (1 << RELEVANCE) |
  (1 << SECRETS) |
  (1 << TOKEN_LIMIT) |
  (1 << TOPIC_BOUNDARY) |
  (1 << TOXICITY);

/** The name of a scanner, as requests and answers spell it. */
export function scannerName(scanner: u32): string {
  switch (scanner) {
    case INVISIBLE_TEXT:
      return 'InvisibleText';
    case PII:
      return 'PII';
    case PROMPT_INJECTION:
      return 'PromptInjection';
    case RELEVANCE:
      return 'Relevance';
    case SECRETS:
      return 'Secrets';
    case TOKEN_LIMIT:
      return 'TokenLimit';
    case TOPIC_BOUNDARY:
      return 'TopicBoundary';
    default:
      return 'Toxicity';
  }
}

/** From which score of 1000 on a scanner reports, unless the request says otherwise. */
export function defaultThreshold(scanner: u32): u32 {
  switch (scanner) {
    case PII:
      return 850;
    case PROMPT_INJECTION:
    case RELEVANCE:
    case TOPIC_BOUNDARY:
      return 500;
    case TOXICITY:
      return 700;
    default:
      return 1;
  }
}
