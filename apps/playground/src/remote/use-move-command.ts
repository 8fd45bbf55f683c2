import type { UseCommands } from "@robota/react";
import { matchCommands, parseCommand } from "@robota/react/store";
import { useMemo } from "react";
import { usePage } from "../state/page-context.ts";
import { servers } from "./servers.ts";

/** The commands of a session with `/move`, which the page itself answers, by a dialog. */
export function useMoveCommand(commands: UseCommands, isRemote: boolean): UseCommands {
  const page = usePage();
  return useMemo(() => {
    const description = isRemote ? "Bring this session here" : "Continue this session on a server";
    // Behind the others: a menu of this one alone would grow under the person's selection.
    const own = commands.commands.length > 0 ? [{ name: "move", description }] : [];
    return {
      commands: [...commands.commands, ...own],
      match: (text) => [...commands.match(text), ...matchCommands(text, own)],
      async complete(text, cursor) {
        const typed = /^\/move\s+(\S*)$/.exec(text)?.[1];
        if (typed === undefined) return commands.complete(text, cursor);
        const choices = isRemote ? ["here"] : servers.get();
        return choices
          .filter((value) => value.startsWith(typed))
          .map((value) => {
            return { value, description, start: text.length - typed.length, end: text.length };
          });
      },
      async run(text) {
        const command = parseCommand(text);
        if (command?.name !== "move") return commands.run(text);
        const { moveByCommand } = await import("./move-command.ts");
        return moveByCommand(command.args.trim(), page);
      },
    };
  }, [commands, isRemote, page]);
}
