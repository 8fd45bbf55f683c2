import type { AutocompleteItem } from "@earendil-works/pi-tui";

/** A slash command of this program, beside those of the session. */
export interface OwnCommand {
  name: string;
  description: string;
  /** Completed with the name. */
  argument?: string | undefined;
  /** True where it is only there with its argument: with others, the session's command of its name runs. Not listed. */
  isRare?: boolean | undefined;
  run: (args: string) => Promise<void> | void;
}

/** The command of this program that a person means, if any. */
export function findOwn(
  commands: readonly OwnCommand[],
  wanted: string,
  args: string,
): OwnCommand | undefined {
  return commands.find(
    ({ name, isRare, argument }) => name === wanted && (!isRare || argument === args),
  );
}

/** Lines for the list of `/help`, or for the one command that it is asked about. */
export function helpOn(commands: readonly OwnCommand[], wanted: string): string[] {
  const name = wanted.replace(/^\//, "");
  return commands
    .filter((command) => !command.isRare && (name === "" || command.name === name))
    .map((command) => `${typed(command)}  ${command.description}`);
}

/** The commands that a text begins. */
export function completionsOf(commands: readonly OwnCommand[], text: string): AutocompleteItem[] {
  return commands
    .filter((command) => !command.isRare && typed(command).startsWith(text) && text.startsWith("/"))
    .map((command) => ({
      value: typed(command),
      label: typed(command),
      description: command.description,
    }));
}

function typed({ name, argument }: OwnCommand): string {
  return argument === undefined ? `/${name}` : `/${name} ${argument}`;
}
