import {
  formsOf,
  isWithoutSecrets,
  namedSecrets,
  valueWithoutSecrets,
  withoutSecrets,
} from "./redact.ts";
import { StreamRedactor } from "./stream-redactor.ts";

/** Secrets learnt from values, beside those that are registered: looking for each costs time in every text. */
const MAX_LEARNT = 100;

/**
 * Takes secrets out of what is stored or shown: those that are registered while they are in use, and whatever looks like
 * one, as `redact` and `redactValue` do.
 */
export class Redactor {
  readonly #secrets = new Set<string>();
  #learnt = 0;
  #forms: readonly string[] = [];

  constructor(secrets: readonly string[] = []) {
    this.register(...secrets);
  }

  /** From now on these are taken out too, in every form that an address or a header gives them. Short ones are not looked for. */
  register(...secrets: string[]): void {
    const before = this.#secrets.size;
    for (const secret of secrets) this.#secrets.add(secret);
    if (this.#secrets.size > before) this.#forms = formsOf([...this.#secrets]);
  }

  text(text: string): string {
    return withoutSecrets(text, this.#forms);
  }

  /** A copy that is plain data. Learns from `value` first. */
  value(value: unknown): unknown {
    this.learn(value);
    return valueWithoutSecrets(value, this.#forms);
  }

  /** Whether JSON is what `value` makes of it already. */
  isSafe(json: unknown): boolean {
    return isWithoutSecrets(json, this.#forms);
  }

  /**
   * From now on takes out, wherever it occurs, a text of eight characters and more that `value` keeps under a secret's name
   * (`password`): a summary or a result of a call may repeat it.
   */
  learn(value: unknown): void {
    for (const secret of namedSecrets(value)) {
      if (this.#learnt >= MAX_LEARNT) return;
      if (this.#secrets.has(secret)) continue;
      this.#learnt += 1;
      this.register(secret);
    }
  }

  /** For a text that comes in pieces, where a secret may be split over them. */
  stream(): StreamRedactor {
    return new StreamRedactor(() => this.#forms);
  }
}
