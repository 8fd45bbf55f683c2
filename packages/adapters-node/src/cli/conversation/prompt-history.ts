import { createHash } from "node:crypto";
import type { Storage } from "@robota/runtime";

const KEPT = 100;

/** The prompts of earlier conversations in one place (a directory or a server), for the arrow keys. */
export class PromptHistory {
  readonly #storage: Storage;
  readonly #key: string;
  #prompts: string[] = [];

  constructor(storage: Storage, place: string) {
    this.#storage = storage;
    this.#key = `prompts/${createHash("sha256").update(place).digest("hex").slice(0, 32)}`;
  }

  /** Oldest first. Without a readable history there is none. */
  async load(): Promise<readonly string[]> {
    try {
      const stored = await this.#storage.get(this.#key);
      const prompts: unknown = stored ? JSON.parse(new TextDecoder().decode(stored)) : [];
      if (Array.isArray(prompts)) this.#prompts = prompts.filter((one) => typeof one === "string");
    } catch {
      this.#prompts = [];
    }
    return this.#prompts;
  }

  /** Adds a prompt. Of two processes that add at once, one may lose its prompt from the history. */
  async add(prompt: string): Promise<void> {
    await this.load();
    if (this.#prompts.at(-1) === prompt) return;
    this.#prompts = [...this.#prompts, prompt].slice(-KEPT);
    const value = new TextEncoder().encode(JSON.stringify(this.#prompts));
    // A full disk does not keep a prompt from being sent.
    await this.#storage.set(this.#key, value).catch(() => undefined);
  }
}
