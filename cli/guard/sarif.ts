// Findings as SARIF 2.1.0 (OASIS), which code hosts and editors show at their lines.
import type { JsonObject } from '../../runtime/json.ts';
import type { FileFinding, ScanReport } from './scan-files.ts';
import { ADVICE } from './titles.ts';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

/** One run; `version` is the platform's. */
export function sarifOf(report: ScanReport, version: string): JsonObject {
  const rules = new Map<string, FileFinding>();
  for (const finding of report.findings) {
    if (!rules.has(ruleId(finding))) rules.set(ruleId(finding), finding);
  }
  const ids = [...rules.keys()];
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'platform guard', version, rules: [...rules.values()].map(ruleJson) },
        },
        columnKind: 'unicodeCodePoints',
        invocations: [
          {
            executionSuccessful: report.refused.length === 0,
            toolExecutionNotifications: notifications(report),
          },
        ],
        results: report.findings.map((finding) => resultJson(finding, ids)),
      },
    ],
  };
}

function ruleId({ scanner, kind }: FileFinding): string {
  return `${scanner}/${kind}`;
}

function ruleJson(finding: FileFinding): JsonObject {
  const { scanner, title, docs } = finding;
  return {
    id: ruleId(finding),
    shortDescription: { text: title },
    help: { text: ADVICE[scanner] },
    ...(docs === undefined ? {} : { helpUri: docs }),
    defaultConfiguration: { level: 'error' },
  };
}

function resultJson(finding: FileFinding, ids: readonly string[]): JsonObject {
  const { file, line, column, end_line, end_column, title, preview, fingerprint } = finding;
  return {
    ruleId: ruleId(finding),
    ruleIndex: ids.indexOf(ruleId(finding)),
    level: 'error',
    message: { text: `${title}: ${preview}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file) },
          region: {
            startLine: line,
            startColumn: column,
            endLine: end_line,
            endColumn: end_column,
          },
        },
      },
    ],
    partialFingerprints: { 'platformGuard/v1': fingerprint },
  };
}

function notifications({ refused, truncated }: ScanReport): JsonObject[] {
  const note = (file: string, level: string, text: string): JsonObject => ({
    level,
    message: { text },
    locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(file) } } }],
  });
  return [
    ...refused.map(({ file, message }) => note(file, 'error', `not scanned: ${message}`)),
    ...truncated.map((file) => note(file, 'warning', 'more was found than is listed')),
  ];
}

/** A relative reference (RFC 3986, section 4.2). */
function uriOf(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
