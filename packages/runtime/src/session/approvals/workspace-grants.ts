import { sha256 } from "../../digest.ts";
import type { Storage } from "../../ports/storage.ts";
import type { GrantStore } from "./approvals.ts";
import type { SessionState } from "../state/state.ts";

const decoder = new TextDecoder();

/**
 * The workspace that a storage was last used for: a hash is made on another thread, which takes longer than the rest.
 * Sessions that open at once share it.
 */
const lastKeys = new WeakMap<Storage, { cwd: string; key: Promise<string> }>();

/** Stores rules that people allow for a whole workspace in the storage of its sessions, by working directory. */
export class WorkspaceGrants implements GrantStore {
  readonly #storage: Storage;
  readonly #state: SessionState;

  constructor(storage: Storage, state: SessionState) {
    this.#storage = storage;
    this.#state = state;
  }

  async load(): Promise<readonly string[]> {
    return parse(await this.#storage.get(await this.#key()));
  }

  save(rule: string): Promise<void> {
    return this.#change((rules) => [...new Set([...rules, rule])]);
  }

  remove(rule: string): Promise<void> {
    return this.#change((rules) => rules.filter((other) => other !== rule));
  }

  #key(): Promise<string> {
    const { cwd } = this.#state;
    const last = lastKeys.get(this.#storage);
    if (last?.cwd === cwd) return last.key;
    const key = sha256(cwd).then((hash) => `grants/${hash}`);
    lastKeys.set(this.#storage, { cwd, key });
    return key;
  }

  async #change(next: (rules: readonly string[]) => string[]): Promise<void> {
    const { changeGrants } = await import("./change-grants.ts");
    const { cwd } = this.#state;
    await changeGrants(this.#storage, { name: await this.#key(), cwd, next, parse });
  }
}

/** Unreadable data allows nothing. */
function parse(bytes: Uint8Array | undefined): string[] {
  if (!bytes) return [];
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    const rules = typeof value === "object" && value !== null && "rules" in value && value.rules;
    return Array.isArray(rules) ? rules.filter((rule) => typeof rule === "string") : [];
  } catch {
    return [];
  }
}
