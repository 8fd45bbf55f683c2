import type { Platform } from "@robota/runtime";
import { moveFromServer, moveStoredSession } from "@robota/runtime/transports";
import type { MoveCommand } from "../arguments/commands.ts";
import { findId } from "./find-session.ts";
import { printable } from "../printable.ts";
import { TOKEN_VARIABLE } from "../arguments/token-variable.ts";

/** Moves a session, prints its id at its new place, and says how to go on with it. */
export async function moveSession(command: MoveCommand, platform: Platform): Promise<void> {
  const { url } = command;
  const server = { url, token: platform.env(TOKEN_VARIABLE), fetch: platform.fetch };
  if (command.direction === "to") {
    const stored = await findId(platform.storage, command.id);
    const { sessionId: id } = await moveStoredSession(platform, stored, server, {
      keepId: true,
    });
    return moved(id, `Continue with: robota -p <prompt> --remote ${url} --resume ${id}`);
  }
  const id = await moveFromServer(platform, command.id, server, { cwd: command.cwd });
  return moved(id, `Continue with: robota -p <prompt> --resume ${id}`);
}

function moved(id: string, hint: string): void {
  process.stdout.write(`${id}\n`);
  process.stderr.write(`${printable(hint)}\n`);
}
