import type { CommandInfo } from "@robota/runtime/sessions";
import { labelOfSource } from "./command-source.ts";

/** Everything that can be typed after a slash, under where it comes from. The later of two commands of a name counts. */
export function helpText(commands: readonly CommandInfo[]): string {
  const byName = new Map(commands.map((command) => [command.name, command]));
  const bySource = Map.groupBy(byName.values(), ({ source }) => labelOfSource(source));
  return [...bySource]
    .map(([source, listed]) => [source, ...listed.map(lineOf)].join("\n"))
    .join("\n\n");
}

function lineOf({ name, argumentHint, description, aliases = [] }: CommandInfo): string {
  const typed = argumentHint ? `/${name} ${argumentHint}` : `/${name}`;
  const others = aliases.length > 0 ? ` (also /${aliases.join(", /")})` : "";
  return `${typed}  ${description}${others}`;
}
