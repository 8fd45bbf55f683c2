import { errorMessage } from "../../errors.ts";
import type { Command, CommandSource } from "./command.ts";

/** The implementation of `CommandRegistry`, in a file that sessions load with the first command. */
export class CommandIndex {
  readonly #sources: CommandSource[] = [];
  #problems: readonly string[] = [];

  /** Adds a source behind the others. */
  addSource(source: CommandSource): void {
    this.#sources.push(source);
  }

  /** The commands whose names begin with `prefix`, in any case; all of them by default. */
  async getCommands(prefix = ""): Promise<Command[]> {
    const start = prefix.toLowerCase();
    const { shown } = await this.#lists();
    return [...shown.values()].filter(({ name }) => name.toLowerCase().startsWith(start));
  }

  /**
   * The qualified name of a plugin's command, `plugin:name`, by its short one; `null` when no plugin has it, and when
   * several have.
   */
  async resolveQualifiedName(shortName: string): Promise<string | null> {
    const { shown } = await this.#lists();
    const found = [...shown.keys()].filter((name) => name.endsWith(`:${shortName}`));
    return found.length === 1 ? (found[0] ?? null) : null;
  }

  /** The subcommands of a command; none for an unknown one. */
  async getSubcommands(name: string): Promise<readonly Command[]> {
    return (await this.find(name))?.subcommands ?? [];
  }

  /**
   * The command that a typed name means: by its name, an alias, `source:name` where another one shadows it, or a
   * plugin's short name if only one plugin has it.
   */
  async find(name: string): Promise<Command | undefined> {
    const { shown, all } = await this.#lists();
    const own =
      shown.get(name) ??
      [...shown.values()].find(({ aliases }) => aliases?.includes(name)) ??
      all.find((command) => `${command.source}:${command.name}` === name);
    if (own) return own;
    const qualified = await this.resolveQualifiedName(name);
    return qualified === null ? undefined : shown.get(qualified);
  }

  /** The sources that failed when they were last asked, each with its reason. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Clears the caches of all sources. */
  reload(): void {
    for (const source of this.#sources) source.reload?.();
  }

  /** A source that fails is left out: the others' commands stay usable. */
  async #lists(): Promise<{ shown: ReadonlyMap<string, Command>; all: readonly Command[] }> {
    const lists = await Promise.allSettled(
      this.#sources.map(async (source) => source.getCommands()),
    );
    const all = lists.flatMap((list) => (list.status === "fulfilled" ? list.value : []));
    this.#problems = lists.flatMap((list, at) =>
      list.status === "rejected"
        ? `${this.#sources[at]?.name ?? ""}: ${errorMessage(list.reason)}`
        : [],
    );
    const shown = new Map<string, Command>();
    for (const command of all) if (!shown.has(command.name)) shown.set(command.name, command);
    return { shown, all };
  }
}
