import type { ClientSession } from "@robota/runtime/sessions";
import { printable } from "../printable.ts";
import { findOwn, helpOn, type OwnCommand } from "./own-commands.ts";
import type { Screen } from "./screen.ts";

export interface CommandActions {
  session: ClientSession;
  screen: Screen;
  own: readonly OwnCommand[];
  leave: () => void;
  /** Opens another session: a stored one, or a new one. */
  open: (resume: { id: string } | undefined) => void;
  /** Goes on with the session at the server that it has moved to; absent for one that is on a server. */
  goTo?: ((place: { id: string; server: string }) => void) | undefined;
  pickSession?: ((open: (id: string) => void) => Promise<void>) | undefined;
  openRewind: () => void;
  writeExport: (fileName: string, text: string) => Promise<string>;
}

/** A command's request to the program; see the built-in commands. */
interface CommandData {
  exitRequested?: boolean;
  resetRequested?: boolean;
  triggerResumePicker?: boolean;
  sessionId?: string;
  forkedFrom?: string;
  turnId?: string;
  movedTo?: { sessionId: string; url: string };
  fileName?: string;
  text?: string;
}

/** Runs a line such as `/mode plan`, shows its answer, and does what it asks of the program. */
export async function runCommand(line: string, actions: CommandActions): Promise<void> {
  const { session, screen, own, openRewind } = actions;
  const [, name = "", args = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  const ownCommand = findOwn(own, name, args.trim());
  if (ownCommand) return ownCommand.run(args.trim());
  // The dialog is easier to read than a list to copy a number from.
  if (name === "rewind" && args === "") return openRewind();
  const ownHelp = name === "help" ? helpOn(own, args.trim()) : [];
  if (ownHelp.length > 0 && args.trim() !== "") return screen.note(ownHelp.join("\n"));
  const result = await session.executeCommand(name, args);
  if (!result) {
    return screen.note(printable(`There is no command /${name}: /help lists them.`), "warning");
  }
  const data: CommandData = result.data ?? {};
  // The answer of a command that made a prompt is in the history.
  if (data.turnId === undefined)
    screen.note(
      printable([result.message, ...ownHelp].join("\n")),
      result.success ? "dim" : "warning",
    );
  await follow(data, actions);
}

async function follow(data: CommandData, actions: CommandActions): Promise<void> {
  const { screen, leave, open, goTo, pickSession, writeExport } = actions;
  const { sessionId, fileName, text, movedTo } = data;
  if (data.exitRequested) leave();
  else if (movedTo) goTo?.({ id: movedTo.sessionId, server: movedTo.url });
  else if (data.resetRequested) open(undefined);
  else if (data.forkedFrom !== undefined && sessionId !== undefined) open({ id: sessionId });
  else if (data.triggerResumePicker && sessionId !== undefined) open({ id: sessionId });
  else if (data.triggerResumePicker && pickSession) await pickSession((id) => open({ id }));
  else if (fileName !== undefined && text !== undefined)
    screen.note(printable(`Written to ${await writeExport(fileName, text)}`));
}
