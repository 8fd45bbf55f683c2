import { SessionError } from "../../errors.ts";
import { loadOnce } from "../../load-once.ts";
import type { PermissionContext } from "../../permissions/call.ts";
import type * as Engine from "../../permissions/engine.ts";
import type { PermissionLists } from "../../permissions/permission.ts";

const loadEngine = loadOnce(() => import("../../permissions/engine.ts"));
const loadLooking = loadOnce(() => import("../../permissions/read-only/read-only-commands.ts"));

/** The permission engine, loaded when a session opens: it is large, and nothing is judged before. */
export class RuleEngine {
  readonly #lists: () => PermissionLists;
  readonly #knowsLooking: () => boolean;
  #engine: typeof Engine | undefined;
  #isReadOnly: PermissionContext["isReadOnly"];

  /** `knowsLooking`: tells whether read-only commands run on the workspace without approval. */
  constructor(lists: () => PermissionLists, knowsLooking: () => boolean) {
    this.#lists = lists;
    this.#knowsLooking = knowsLooking;
  }

  /** @throws {ValidationError} when a rule contradicts its examples */
  async load(): Promise<typeof Engine> {
    if (this.#engine) return this.#engine;
    const [engine, looking] = await Promise.all([
      loadEngine(),
      this.#knowsLooking() ? loadLooking() : undefined,
    ]);
    engine.checkRules(this.#lists());
    this.#isReadOnly = looking?.isReadOnly;
    this.#engine = engine;
    return engine;
  }

  /** @throws {SessionError} `CLOSED` before `load` */
  get loaded(): typeof Engine {
    if (this.#engine) return this.#engine;
    const message = "The session is not open yet, so its rules are unknown";
    throw new SessionError("CLOSED", message, { hint: "Wait for open(), or for ready." });
  }

  get isReadOnly(): PermissionContext["isReadOnly"] {
    return this.#knowsLooking() ? this.#isReadOnly : undefined;
  }
}
