// A text area with line numbers, colours and marks: what is typed is the text area's, what is seen lies behind it.
import type { Finding, LineState } from '../protocol.ts';
import { element } from './dom.ts';
import { type Language, tokensOf } from './highlight.ts';

export interface EditorOptions {
  label: string;
  language: Language;
  onInput?(text: string): void;
}

/** One editor. Tab indents; after Escape the next Tab goes on to what follows. */
export class Editor {
  readonly root: HTMLElement;
  readonly #area: HTMLTextAreaElement;
  readonly #mirror = element('div', { class: 'mirror', 'aria-hidden': 'true' });
  #language: Language;
  #findings: readonly Finding[] = [];
  #coverage: Record<number, LineState> = {};
  #isLeaving = false;
  #pending: number | undefined;
  readonly #onInput: EditorOptions['onInput'];

  constructor({ label, language, onInput }: EditorOptions) {
    this.#language = language;
    this.#area = element('textarea', {
      ...{ 'aria-label': label, spellcheck: 'false', autocomplete: 'off' },
      ...{ autocapitalize: 'off', wrap: 'off' },
    });
    const paper = element('div', { class: 'paper' }, this.#mirror, this.#area);
    this.root = element('div', { class: 'code' }, paper);
    this.#onInput = onInput;
    // One paste may be an event a line; what is seen is drawn once.
    this.#area.addEventListener('input', () => {
      this.#pending ??= requestAnimationFrame(() => this.flush());
    });
    this.#area.addEventListener('keydown', (event) => this.#key(event));
    this.#area.addEventListener('blur', () => {
      this.#isLeaving = false;
    });
  }

  get value(): string {
    return this.#area.value;
  }

  /** Takes what was typed since it was drawn last. */
  flush(): void {
    if (this.#pending === undefined) return;
    cancelAnimationFrame(this.#pending);
    this.#pending = undefined;
    this.#findings = [];
    this.#coverage = {};
    this.#draw();
    this.#onInput?.(this.#area.value);
  }

  /** Shows a text under a name; `isFixed` says that it cannot be changed. */
  show(text: string, label: string, { language = this.#language, isFixed = false } = {}): void {
    this.flush();
    this.#language = language;
    this.#area.value = text;
    this.#area.readOnly = isFixed;
    this.#area.setAttribute('aria-label', label);
    this.#findings = [];
    this.#coverage = {};
    this.#draw();
    this.root.scrollTo(0, 0);
  }

  /** Marks errors at their rows, and what the last evaluation made of the others. */
  mark(findings: readonly Finding[], coverage: Record<number, LineState>): void {
    this.#findings = findings;
    this.#coverage = coverage;
    this.#draw();
    this.#area.setAttribute('aria-invalid', String(findings.length > 0));
  }

  /** Puts the cursor at a place; both count from 1. */
  goTo(row: number, column = 1): void {
    const lines = this.#area.value.split('\n');
    const before = lines.slice(0, row - 1).reduce((sum, line) => sum + line.length + 1, 0);
    const place = before + column - 1;
    this.#area.focus();
    this.#area.setSelectionRange(place, place);
    const line = this.#mirror.children[row - 1];
    line?.scrollIntoView({ block: 'center', inline: 'nearest' });
    this.root.scrollLeft = 0;
  }

  #key(event: KeyboardEvent): void {
    if (event.key === 'Escape') this.#isLeaving = true;
    else if (event.key === 'Tab' && !event.shiftKey && !this.#isLeaving && !this.#area.readOnly) {
      event.preventDefault();
      const indent = this.#language === 'rego' ? '\t' : '  ';
      this.#area.setRangeText(indent, this.#area.selectionStart, this.#area.selectionEnd, 'end');
      this.#area.dispatchEvent(new Event('input'));
    } else if (event.key !== 'Shift' && event.key !== 'Tab') this.#isLeaving = false;
  }

  #draw(): void {
    const lines = this.#area.value.split('\n');
    this.#mirror.replaceChildren(...lines.map((line, index) => this.#line(line, index + 1)));
    this.#mirror.style.setProperty('--digits', String(String(lines.length).length));
  }

  #line(line: string, row: number): HTMLElement {
    const finding = this.#findings.find((each) => each.row === row);
    const state = finding === undefined ? this.#coverage[row] : 'wrong';
    const parts = tokensOf(line, this.#language).map(([kind, text]) =>
      kind === '' ? text : element('span', { class: `t-${kind}` }, text),
    );
    const code = element('span', { class: 'text' }, ...parts, '\n');
    const number = element('span', { class: 'number' }, String(row));
    return element('div', { class: state === undefined ? 'line' : `line ${state}` }, number, code);
  }
}
