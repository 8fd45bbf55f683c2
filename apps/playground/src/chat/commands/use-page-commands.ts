import type { UseCommands } from "@robota/react";
import { matchCommands, parseCommand, type SessionConnection } from "@robota/react/store";
import type { CommandInfo } from "@robota/runtime/sessions";
import { useMemo } from "react";
import { servers } from "../../remote/servers.ts";
import { usePage } from "../../state/page-context.ts";
import { isOfPage, pageCommands } from "./page-commands.ts";

/** The commands of a session and of the page. */
export interface PageCommands extends UseCommands {
  /** Those that the page answers. */
  own: readonly CommandInfo[];
}

/** The commands of a session with those that the page itself answers, such as `/move`, by a dialog. */
export function usePageCommands(
  commands: UseCommands,
  session: SessionConnection | undefined,
  isRemote: boolean,
): PageCommands {
  const page = usePage();
  return useMemo(() => {
    const known = pageCommands(isRemote);
    // Behind the others: a menu of these alone would grow under the person's selection.
    const own = commands.commands.length > 0 ? known : [];
    return {
      own,
      commands: [...commands.commands, ...own],
      match: (text) => [...commands.match(text), ...matchCommands(text, own)],
      async complete(text, cursor) {
        const typed = /^\/move\s+(\S*)$/.exec(text)?.[1];
        if (typed === undefined) return commands.complete(text, cursor);
        const choices = isRemote ? ["here"] : servers.get();
        const description = known[0]?.description ?? "";
        return choices
          .filter((value) => value.startsWith(typed))
          .map((value) => {
            return { value, description, start: text.length - typed.length, end: text.length };
          });
      },
      async run(text) {
        const command = parseCommand(text);
        if (!command || !session || !isOfPage(command.name)) return commands.run(text);
        const { answerOnPage } = await import("./answer-on-page.ts");
        return (await answerOnPage(command, session, page)) ?? commands.run(text);
      },
    };
  }, [commands, session, isRemote, page]);
}
