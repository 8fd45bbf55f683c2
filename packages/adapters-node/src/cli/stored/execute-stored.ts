import type { Platform } from "@robota/runtime";
import type { CliCommand } from "../arguments/commands.ts";
import { removeSession, renameSession, rewindSession } from "./change-session.ts";
import { readImport, replayStored, writeExport } from "./transfer-session.ts";

type StoredCommand = Extract<
  CliCommand,
  {
    name:
      | "rename-session"
      | "delete-session"
      | "rewind-session"
      | "export-session"
      | "import-session"
      | "replay-session";
  }
>;

/** Does something with a stored session, and resolves to the exit code. */
export async function executeStored(command: StoredCommand, platform: Platform): Promise<number> {
  switch (command.name) {
    case "rename-session":
      await renameSession(platform, command.id, command.newName);
      return 0;
    case "delete-session":
      await removeSession(platform, command.id);
      return 0;
    case "rewind-session":
      return rewindSession(platform, command.id, command.words);
    case "export-session":
      await writeExport(command, platform);
      return 0;
    case "import-session":
      await readImport(command, platform);
      return 0;
    case "replay-session":
      return replayStored(command.id, platform);
  }
}
