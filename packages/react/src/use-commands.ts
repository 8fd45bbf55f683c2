import type { CommandCompletion, CommandResult } from "@robota/runtime/sessions";
import { useEffect, useMemo, useReducer } from "react";
import type { SessionConnection } from "./store/connection.ts";
import { matchCommands, type SlashCommand } from "./store/slash-commands.ts";

export interface UseCommands {
  commands: readonly SlashCommand[];
  /** The commands that may complete a name, such as `/co`; none when the text is not the beginning of a command. */
  match: (text: string) => readonly SlashCommand[];
  /** Completions of the word at the cursor: commands, subcommands, or values of its argument. */
  complete: (text: string, cursor?: number) => Promise<readonly CommandCompletion[]>;
  /** Runs `/name arguments`; resolves to `null` when the text is not a command of the session. */
  run: (text: string) => Promise<CommandResult | null>;
}

/**
 * The slash commands of a session, their completion, and the way to run them. Those of skills, plugins and files are there
 * once the session is open.
 * @param session nothing while the session is not open yet
 * @example
 * function Prompt({ session }: { session: InteractiveSession }) {
 *   const { match, run } = useCommands(session);
 *   const [text, setText] = useState("");
 *   return (
 *     <form action={async () => (await run(text)) ?? (await session.submit(text))}>
 *       <input value={text} onChange={(event) => setText(event.target.value)} list="commands" />
 *       <datalist id="commands">
 *         {match(text).map(({ name }) => <option key={name}>{`/${name}`}</option>)}
 *       </datalist>
 *     </form>
 *   );
 * }
 */
export function useCommands(session: SessionConnection | undefined): UseCommands {
  const [revision, renew] = useReducer((before: number) => before + 1, 0);
  useEffect(() => {
    let isMounted = true;
    session?.ready.then(
      () => isMounted && renew(),
      () => undefined,
    );
    return () => {
      isMounted = false;
    };
  }, [session]);
  return useMemo(
    () => commandsOf(session, renew),
    // A command may have loaded others.
    // oxlint-disable-next-line react/exhaustive-deps
    [session, revision],
  );
}

function commandsOf(session: SessionConnection | undefined, onRun: () => void): UseCommands {
  const commands = session?.listCommands() ?? [];
  return {
    commands,
    match: (text) => matchCommands(text, commands),
    complete: async (text, cursor) => session?.completeCommand(text, cursor) ?? [],
    async run(text) {
      // A command's code loads with its first use as well.
      const { parseCommand } = await import("./store/parse-command.ts");
      const command = parseCommand(text);
      if (!command || !session) return null;
      try {
        return await session.executeCommand(command.name, command.args);
      } finally {
        onRun();
      }
    },
  };
}
