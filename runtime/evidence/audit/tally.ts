// Counts what an audit finds, in bounded memory, and can be put away and gone on with.
import { isJsonObject } from '../../json.ts';
import type { RowProblem } from './conduct.ts';
import type { RecordedDecision, RecordedRow } from './recorded.ts';
import type { DecisionVerdict, Verdict } from './replay.ts';
import {
  type Answers,
  answersOf,
  OTHER_NAMES,
  shortName,
  Timeline,
  type TimelineState,
} from './timeline.ts';

/** A decision that could not be reproduced, or a row that its decisions do not bear out. */
export interface Finding extends DecisionVerdict {
  sequence: number;
  time: string;
  boundary: string;
  /** The decision; undefined where it is the row as a whole. */
  module: string | undefined;
  decisionId: string | undefined;
}

export type Counts = Record<Verdict, number>;

export const FINDINGS_MAX = 100;
/** Different names that are counted apart: controls, rules, boundaries, reasons. */
const NAMES_MAX = 1000;

/** What is counted, as plain data. */
export interface TallyState {
  rows: number;
  rowVerdicts: Counts;
  decisionVerdicts: Counts;
  diverged: Finding[];
  divergedCount: number;
  undetermined: [string, number][];
  controls: [string, number][];
  boundaries: [string, Answers][];
  rules: [string, Answers][];
  timeline: TimelineState;
  firstTime: string | undefined;
  lastTime: string | undefined;
}

const zero = (): Counts => ({ reproduced: 0, diverged: 0, undetermined: 0 });

/** The counts of one audit. */
export class Tally {
  rows = 0;
  readonly rowVerdicts = zero();
  readonly decisionVerdicts = zero();
  /** The first `FINDINGS_MAX`. */
  readonly diverged: Finding[] = [];
  divergedCount = 0;
  /** Why decisions or rows are undetermined, with how many of each. */
  readonly undetermined: Map<string, number>;
  /** Ids of compliance controls, with how many rows name each. */
  readonly controls: Map<string, number>;
  /** Decisions by boundary, and by the rule that answered. */
  readonly boundaries: Map<string, Answers>;
  readonly rules: Map<string, Answers>;
  readonly timeline: Timeline;
  /** The earliest and the latest time of a row. */
  firstTime: string | undefined;
  lastTime: string | undefined;

  constructor(state?: TallyState) {
    this.undetermined = new Map(state?.undetermined);
    this.controls = new Map(state?.controls);
    this.boundaries = new Map(state?.boundaries);
    this.rules = new Map(state?.rules);
    this.timeline = new Timeline(state?.timeline);
    if (state === undefined) return;
    const { rows, rowVerdicts, decisionVerdicts, divergedCount, firstTime, lastTime } = state;
    Object.assign(this, { rows, rowVerdicts, decisionVerdicts, divergedCount });
    Object.assign(this, { diverged: state.diverged, firstTime, lastTime });
  }

  /** Counts the next row with the verdict of each of its decisions. */
  add(row: RecordedRow, verdicts: readonly DecisionVerdict[], problem?: RowProblem): void {
    this.rows++;
    this.#time(row.time);
    let worst: Verdict = 'reproduced';
    for (const [index, decision] of row.decisions.entries()) {
      const found = verdicts[index]!;
      this.decisionVerdicts[found.verdict]++;
      this.#answer(decision, row);
      if (found.verdict === 'reproduced') continue;
      worst = this.#found(row, found, decision, worst);
    }
    if (problem !== undefined) worst = this.#found(row, problem, undefined, worst);
    for (const id of row.controls) count(this.controls, id);
    this.rowVerdicts[worst]++;
    if (worst !== 'reproduced') this.timeline.at(Date.parse(row.time))[worst]++;
  }

  state(): TallyState {
    const { rows, rowVerdicts, decisionVerdicts, diverged, divergedCount } = this;
    return {
      ...{ rows, rowVerdicts, decisionVerdicts, diverged, divergedCount },
      ...{ undetermined: [...this.undetermined], controls: [...this.controls] },
      ...{ boundaries: [...this.boundaries], rules: [...this.rules] },
      ...{ timeline: this.timeline.state(), firstTime: this.firstTime, lastTime: this.lastTime },
    };
  }

  #time(time: string): void {
    // Texts of this form are in the order of their times.
    if (this.firstTime === undefined || time < this.firstTime) this.firstTime = time;
    if (this.lastTime === undefined || time > this.lastTime) this.lastTime = time;
  }

  #answer(decision: RecordedDecision, row: RecordedRow): void {
    const { output } = decision;
    const allows = isJsonObject(output) && output.allow === true;
    const rule = isJsonObject(output) && typeof output.rule === 'string' ? output.rule : undefined;
    const key = allows ? 'allowed' : 'denied';
    answersOf(this.boundaries, decision.boundary, NAMES_MAX)[key]++;
    this.timeline.answers(Date.parse(row.time), decision.boundary)[key]++;
    if (rule !== undefined) answersOf(this.rules, rule, NAMES_MAX)[key]++;
  }

  #found(
    { sequence, time, boundary }: RecordedRow,
    found: DecisionVerdict,
    decision: RecordedDecision | undefined,
    worst: Verdict,
  ): Verdict {
    if (found.verdict === 'undetermined') {
      count(this.undetermined, found.why);
      return worst === 'diverged' ? worst : 'undetermined';
    }
    this.divergedCount++;
    if (this.diverged.length < FINDINGS_MAX) {
      const { module, id: decisionId } = decision ?? {};
      const of = { boundary: decision?.boundary ?? boundary, module, decisionId };
      this.diverged.push({ sequence, time, ...of, ...found });
    }
    return 'diverged';
  }
}

/** Counts the name once more, in bounded memory: the names after the first thousand as one. */
export function count(counts: Map<string, number>, name: string): void {
  const known = counts.get(name);
  if (known !== undefined) {
    counts.set(name, known + 1);
    return;
  }
  const short = shortName(name);
  const own = counts.has(short) || counts.size < NAMES_MAX ? short : OTHER_NAMES;
  counts.set(own, (counts.get(own) ?? 0) + 1);
}
