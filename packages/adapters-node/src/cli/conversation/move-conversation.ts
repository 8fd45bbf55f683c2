import { type Platform, ValidationError } from "@robota/runtime";
import { moveFromServer, MoveCommandSource } from "@robota/runtime/transports";
import { TOKEN_VARIABLE } from "../run-remote.ts";

/** Milliseconds for which a server that is not reached is tried: a person waits. */
const TIMEOUT_MS = 10_000;

/** The command `/move <address>` of sessions on this machine. */
export function moveCommand(platform: Platform): MoveCommandSource {
  return new MoveCommandSource({ timeoutMs: TIMEOUT_MS, accessTo: () => accessBy(platform) });
}

/** Brings a session from its server to this machine, and resolves to its id here. @throws as `moveFromServer` */
export async function bringHere(
  sessionId: string,
  url: string,
  { platform, cwd }: { platform: Platform; cwd: string },
): Promise<string> {
  const server = { ...accessBy(platform), url };
  return moveFromServer(platform, sessionId, server, { cwd, timeoutMs: TIMEOUT_MS });
}

/** @throws {ValidationError} without a token */
function accessBy(platform: Platform): { token: string; fetch: typeof fetch } {
  const token = platform.env(TOKEN_VARIABLE);
  if (!token)
    throw new ValidationError("There is no token for the server", {
      hint: `Set ${TOKEN_VARIABLE} to one with the scope admin, and start again.`,
    });
  return { token, fetch: platform.fetch };
}
