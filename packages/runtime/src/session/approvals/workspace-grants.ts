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
export function workspaceGrants(storage: Storage, state: SessionState): GrantStore {
  const key = (): Promise<string> => {
    const { cwd } = state;
    const last = lastKeys.get(storage);
    if (last?.cwd === cwd) return last.key;
    const made = sha256(cwd).then((hash) => `grants/${hash}`);
    lastKeys.set(storage, { cwd, key: made });
    return made;
  };
  const change = async (next: (rules: readonly string[]) => string[]): Promise<void> => {
    const { changeGrants } = await import("./change-grants.ts");
    const { cwd } = state;
    await changeGrants(storage, { name: await key(), cwd, next, parse });
  };
  return {
    load: async () => parse(await storage.get(await key())),
    save: (rule) => change((rules) => [...new Set([...rules, rule])]),
    remove: (rule) => change((rules) => rules.filter((other) => other !== rule)),
  };
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
