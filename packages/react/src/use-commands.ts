import type { CommandResult } from "@robota/runtime/sessions";
import { useMemo } from "react";
import type { SessionConnection } from "./store/connection.ts";
import { matchCommands, parseCommand, type SlashCommand } from "./store/slash-commands.ts";

export interface UseCommands {
  commands: readonly SlashCommand[];
  /** The commands that may complete the text, such as `/co`; none when it is not the beginning of a command. */
  match: (text: string) => readonly SlashCommand[];
  /** Runs `/name arguments`; resolves to `null` when the text is not a command of the session. */
  run: (text: string) => Promise<CommandResult | null>;
}

/**
 * The slash commands of a session, their completion, and the way to run them.
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
  return useMemo(() => {
    const commands = session?.listCommands() ?? [];
    return {
      commands,
      match: (text) => matchCommands(text, commands),
      async run(text) {
        const command = parseCommand(text, commands);
        return command && session ? session.executeCommand(command.name, command.args) : null;
      },
    };
  }, [session]);
}
