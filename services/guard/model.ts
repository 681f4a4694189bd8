// The port to a larger model of prompt injection; its verdict is an input of the guard's decision.

export interface InjectionModel {
  /** As it stands in evidence. */
  readonly name: string;
  /** How sure it is that the text is an attack, in thousandths. Rejects with `service_unavailable`. */
  score(text: string, signal: AbortSignal): Promise<number>;
}
