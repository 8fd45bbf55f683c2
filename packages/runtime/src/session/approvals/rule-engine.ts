import { SessionError } from "../../errors.ts";
import { loadOnce } from "../../load-once.ts";
import type { HistoryEntry } from "../../messages/history.ts";
import type { PermissionContext } from "../../permissions/call.ts";
import type * as Engine from "../../permissions/engine.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ApprovalOptions, AskedTool } from "./options.ts";
import type { isUntrustedEntry } from "./untrusted.ts";

type ToolFacts = Pick<Tool, "access" | "patternArgument" | "patternKind">;

type RuleSource = Pick<ApprovalOptions, "lists" | "readOnlyCommands">;

const loadEngine = loadOnce(() =>
  Promise.all([import("../../permissions/engine.ts"), import("./untrusted.ts")]),
);
const loadWithReadOnly = loadOnce(() =>
  Promise.all([loadEngine(), import("../../permissions/read-only/read-only-commands.ts")]),
);

/** The permission engine, loaded when something is to be judged: it is large, and many answers call no tool. */
export class RuleEngine {
  readonly #options: RuleSource;
  #engine: typeof Engine | undefined;
  #isReadOnly: PermissionContext["isReadOnly"];
  #isUntrustedEntry: typeof isUntrustedEntry | undefined;

  constructor(options: RuleSource) {
    this.#options = options;
  }

  /** @throws {ValidationError} when a rule contradicts its examples */
  async load(): Promise<typeof Engine> {
    if (this.#engine) return this.#engine;
    const [[engine, untrusted], readOnly] = this.#knowsReadOnly
      ? await loadWithReadOnly()
      : [await loadEngine()];
    engine.checkRules(this.#options.lists());
    this.#isReadOnly = readOnly?.isReadOnly;
    this.#isUntrustedEntry = untrusted.isUntrustedEntry;
    this.#engine = engine;
    return engine;
  }

  get isLoaded(): boolean {
    return this.#engine !== undefined;
  }

  /** @throws {SessionError} `CLOSED` before `load` */
  get loaded(): typeof Engine {
    if (this.#engine) return this.#engine;
    throw new SessionError("CLOSED", "The session has not loaded its rules yet", {
      hint: "Wait for open(), or for ready: turns leave them to their first call of a tool.",
    });
  }

  /** The facts of a tool, completed by those of a built-in one of its name once the engine is loaded. */
  declared(tool: AskedTool): ToolFacts {
    return this.#engine?.declared(tool) ?? tool;
  }

  /** True for any entry before `load`. */
  isUntrustedEntry(entry: HistoryEntry, tools: ReadonlyMap<string, Tool>): boolean {
    return this.#isUntrustedEntry?.(entry, tools) ?? true;
  }

  get isReadOnly(): PermissionContext["isReadOnly"] {
    return this.#knowsReadOnly ? this.#isReadOnly : undefined;
  }

  get #knowsReadOnly(): boolean {
    return this.#options.readOnlyCommands?.() ?? true;
  }
}
