import {
  formsOf,
  isWithoutSecrets,
  namedSecrets,
  valueWithoutSecrets,
  withoutSecrets,
} from "./redact.ts";
import { StreamRedactor } from "./stream-redactor.ts";

/** Maximum number of secrets learnt from values, besides registered ones: each is searched for in every text. */
const MAX_LEARNT = 100;

/**
 * Removes secrets from everything stored or shown: registered ones while in use, and whatever looks like one, as
 * `redact` and `redactValue` do.
 */
export class Redactor {
  readonly #secrets = new Set<string>();
  #learnt = 0;
  #forms: readonly string[] = [];

  constructor(secrets: readonly string[] = []) {
    this.register(...secrets);
  }

  /** Registers secrets to remove, in every form that an address or a header gives them. Short ones are ignored. */
  register(...secrets: string[]): void {
    const before = this.#secrets.size;
    for (const secret of secrets) this.#secrets.add(secret);
    if (this.#secrets.size > before) this.#forms = formsOf([...this.#secrets]);
  }

  text(text: string): string {
    return withoutSecrets(text, this.#forms);
  }

  /** A redacted copy as plain data. Learns from `value` first. */
  value(value: unknown): unknown {
    this.learn(value);
    return valueWithoutSecrets(value, this.#forms);
  }

  /** Reports whether `value` would leave this JSON unchanged. */
  isSafe(json: unknown): boolean {
    return isWithoutSecrets(json, this.#forms);
  }

  /**
   * Learns texts of eight characters and more that `value` keeps under a secret's name (`password`), and removes them
   * wherever they occur: a summary or a call's result may repeat them.
   */
  learn(value: unknown): void {
    for (const secret of namedSecrets(value)) {
      if (this.#learnt >= MAX_LEARNT) return;
      if (this.#secrets.has(secret)) continue;
      this.#learnt += 1;
      this.register(secret);
    }
  }

  /** A redactor for a streamed text, where a secret may be split over chunks. */
  stream(): StreamRedactor {
    return new StreamRedactor(() => this.#forms);
  }
}
