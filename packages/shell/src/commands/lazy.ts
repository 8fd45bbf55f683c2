import type { ShellCommand } from "../command.ts";

/** Commands of one module, by name, loaded when one of them first runs. */
export function lazily<Module extends Record<string, unknown>>(
  load: () => Promise<Module>,
  names: readonly (keyof Module & string)[],
): ShellCommand[] {
  // A loaded module stays loaded; importing it again costs a turn or more on some hosts.
  let loaded: Promise<Module> | undefined;
  const loadOnce = (): Promise<Module> =>
    (loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    }));
  return names.map((name) => ({
    name,
    async run(args, context) {
      const command = (await loadOnce())[name];
      if (!isCommand(command)) throw new Error("it can't be loaded");
      return command.run(args, context);
    },
  }));
}

function isCommand(value: unknown): value is ShellCommand {
  return (
    typeof value === "object" && value !== null && "run" in value && typeof value.run === "function"
  );
}
