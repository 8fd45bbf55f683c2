import { sha256 } from "../../digest.ts";
import type { ServerTool } from "../../mcp/server-tool.ts";
import type { Storage } from "../../ports/storage.ts";
import { isObject } from "../settings/settings-object.ts";

/** A tool as a person approved it. */
export interface KeptTool {
  pin: string;
  definition: ServerTool;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The tools of one server that were used with a person's approval, kept with the host's storage for all sessions. The
 * definition is kept beside its hash, so that a change can be shown.
 */
export class KeptPins {
  readonly #storage: Storage;
  readonly #key: string;
  readonly #tools: Map<string, KeptTool>;

  private constructor(storage: Storage, key: string, tools: Map<string, KeptTool>) {
    this.#storage = storage;
    this.#key = key;
    this.#tools = tools;
  }

  /** `identity`: what makes it the same server, such as its name and its address. */
  static async load(storage: Storage, identity: readonly unknown[]): Promise<KeptPins> {
    const key = `mcp/${await sha256(JSON.stringify(identity))}`;
    return new KeptPins(storage, key, toolsIn(await storage.get(key)));
  }

  get(name: string): KeptTool | undefined {
    return this.#tools.get(name);
  }

  async keep(tool: KeptTool): Promise<void> {
    const { name } = tool.definition;
    if (this.#tools.get(name)?.pin === tool.pin) return;
    // Another session may have kept others meanwhile.
    for (const [other, kept] of toolsIn(await this.#storage.get(this.#key)))
      if (!this.#tools.has(other)) this.#tools.set(other, kept);
    this.#tools.set(name, tool);
    const record = { v: 1, tools: [...this.#tools.values()] };
    await this.#storage.set(this.#key, encoder.encode(JSON.stringify(record)));
  }
}

/** An unreadable record counts as none: every tool is then new. */
function toolsIn(bytes: Uint8Array | undefined): Map<string, KeptTool> {
  const tools = new Map<string, KeptTool>();
  if (!bytes) return tools;
  let record: unknown;
  try {
    record = JSON.parse(decoder.decode(bytes));
  } catch {
    return tools;
  }
  const list = isObject(record) && Array.isArray(record["tools"]) ? record["tools"] : [];
  for (const kept of list as unknown[]) if (isKept(kept)) tools.set(kept.definition.name, kept);
  return tools;
}

function isKept(value: unknown): value is KeptTool {
  if (!isObject(value) || typeof value["pin"] !== "string") return false;
  const { definition } = value;
  return (
    isObject(definition) &&
    typeof definition["name"] === "string" &&
    isObject(definition["inputSchema"])
  );
}
