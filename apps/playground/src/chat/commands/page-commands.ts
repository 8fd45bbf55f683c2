import type { CommandInfo } from "@robota/runtime/sessions";

/** The commands that the page itself answers, beside those of the session. */
export function pageCommands(isRemote: boolean): readonly CommandInfo[] {
  const move = isRemote
    ? { description: "Bring this session here", argumentHint: "[here]" }
    : { description: "Continue this session on a server", argumentHint: "[address]" };
  return [{ name: "move", source: "page", ...move }];
}

/** Reports whether the page may have an answer to a command, in place of the session. */
export function isOfPage(name: string): boolean {
  return name === "move" || name === "help" || name === "?";
}
