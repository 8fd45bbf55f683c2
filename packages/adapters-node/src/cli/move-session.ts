import { importSession, listSessions, type Platform } from "@robota/runtime";
import { moveStoredSession, RemoteSession } from "@robota/runtime/transports";
import type { MoveCommand } from "./arguments.ts";
import { findId } from "./find-session.ts";
import { printable } from "./printable.ts";
import { TOKEN_VARIABLE } from "./run-remote.ts";

/** Moves a session, prints its id at its new place, and says how to go on with it. */
export async function moveSession(command: MoveCommand, platform: Platform): Promise<void> {
  const { url } = command;
  const server = { url, token: platform.env(TOKEN_VARIABLE), fetch: platform.fetch };
  if (command.direction === "to") {
    const stored = await findId(platform.storage, command.id);
    const { sessionId: id } = await moveStoredSession(platform, stored, server);
    return moved(id, `Continue with: robota -p <prompt> --remote ${url} --resume ${id}`);
  }
  const id = await bringBack(command, server, platform);
  return moved(id, `Continue with: robota -p <prompt> --resume ${id}`);
}

type Server = { url: string; token: string | undefined; fetch: typeof fetch };

async function bringBack(
  { id, cwd }: MoveCommand,
  server: Server,
  platform: Platform,
): Promise<string> {
  await using remote = new RemoteSession({ ...server, sessionId: id });
  await remote.ready;
  const sessionId =
    remote.handedOverTo?.sessionId ?? (await formerId(id, platform)) ?? platform.randomUUID();
  await remote.handOver({ to: { sessionId } });
  const log = await remote.export({ files: "changed", grants: true });
  return importSession(platform, log, { sessionId, cwd, trusted: true, files: "workspace" });
}

/** The session of this machine that went to the server under that id: it comes back as itself. */
async function formerId(id: string, { storage }: Platform): Promise<string | undefined> {
  return (await listSessions(storage)).find(({ handedOverTo }) => handedOverTo?.sessionId === id)
    ?.id;
}

function moved(id: string, hint: string): void {
  process.stdout.write(`${id}\n`);
  process.stderr.write(`${printable(hint)}\n`);
}
