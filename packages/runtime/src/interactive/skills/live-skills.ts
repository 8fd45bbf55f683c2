import type { HooksConfig } from "../../hooks/definition.ts";
import type { PermissionLayer } from "../../permissions/permission.ts";
import type { SessionOptions } from "../../session/options.ts";
import type { Tool } from "../../tools/tool.ts";
import type { AgentToolOptions } from "../agents/agent-tool.ts";
import type { CommandSource } from "../commands/command.ts";
import type { SkillParts } from "./skill-parts.ts";
import type { SkillFile } from "./skill.ts";
import type { Skills } from "./skills-in-force.ts";

/** The skills of an open session, which come and go with the files and the bundles that have them. */
export class LiveSkills {
  readonly #contextWindow: number;
  /** Skills at addresses, which are fetched when a session opens. */
  readonly #fetched: readonly SkillFile[];
  #files: readonly SkillFile[];
  #parts: SkillParts | undefined;

  private constructor(
    files: readonly SkillFile[],
    fetched: readonly SkillFile[],
    contextWindow: number,
  ) {
    this.#files = files;
    this.#fetched = fetched;
    this.#contextWindow = contextWindow;
  }

  /** `files`: those in force, in order of precedence, before those that were fetched. */
  static async of(
    files: readonly SkillFile[],
    { fetched, contextWindow }: { fetched: readonly SkillFile[]; contextWindow: number },
  ): Promise<LiveSkills> {
    const skills = new LiveSkills(files, fetched, contextWindow);
    skills.#parts = await skills.#partsOf(files);
    return skills;
  }

  /** The present ones with their sections of the system prompt; `undefined` when there are none. */
  get parts(): SkillParts | undefined {
    return this.#parts;
  }

  /** Those that a person can use. */
  readonly source: CommandSource = {
    name: "skills",
    isEmpty: () => this.#parts === undefined,
    getCommands: () => this.#parts?.source.getCommands() ?? [],
  };

  readonly rules = (name: string): readonly string[] => this.#parts?.rules(name) ?? [];

  readonly modelOf: NonNullable<SessionOptions["skillModel"]> = (name, provider) =>
    this.#parts?.modelOf(name, provider);

  get readable(): PermissionLayer[] {
    return this.#parts ? [this.#parts.readable] : [];
  }

  /** The tool for the session's model, over the present skills; none without any. */
  tools(agents: AgentToolOptions): Tool[] {
    return this.#parts ? [this.#parts.toolFor(agents)] : [];
  }

  /** Takes these files up. Resolves to the hooks that tell the model of the difference; `undefined` without one. */
  async update(files: readonly SkillFile[]): Promise<HooksConfig | undefined> {
    if (isSame(files, this.#files)) return undefined;
    const before = this.#parts?.skills ?? NONE;
    const parts = await this.#partsOf(files);
    this.#files = files;
    this.#parts = parts;
    const { skillChangeHooks } = await import("./skill-changes.ts");
    return skillChangeHooks(before, parts?.skills ?? NONE, this.#contextWindow);
  }

  /** Most sessions have none, and then skip loading the code for them. */
  async #partsOf(files: readonly SkillFile[]): Promise<SkillParts | undefined> {
    const all = [...files, ...this.#fetched];
    if (all.length === 0) return undefined;
    const { skillParts } = await import("./skill-parts.ts");
    return skillParts(all, this.#contextWindow);
  }
}

const NONE: Skills = new Map();

function isSame(some: readonly SkillFile[], others: readonly SkillFile[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ name, text, scope, skill }, at) => {
      const other = others[at];
      return (
        name === other?.name &&
        text === other.text &&
        scope === other.scope &&
        skill?.name === other.skill?.name
      );
    })
  );
}
