import { type InteractiveSession, type Platform, ValidationError } from "@robota/runtime";
import type { RemoteSession } from "@robota/runtime/transports";
import type { MovedSession } from "./conversation/conversation.ts";
import { TOKEN_VARIABLE } from "./run-remote.ts";

/** Variable with the address of the server that `/move` means. */
const SERVER_VARIABLE = "ROBOTA_SERVER";

/**
 * Moves the session of this machine to a server, where it goes on with its turn, its queue and its open requests.
 * @param target the server's address; that of `ROBOTA_SERVER` when empty
 * @throws {ValidationError} without an address or a token @throws as `moveToServer`
 */
export async function moveAway(
  session: InteractiveSession,
  target: string,
  platform: Platform,
): Promise<MovedSession> {
  const server = target || platform.env(SERVER_VARIABLE);
  const { protocol = "" } = URL.parse(server ?? "") ?? {};
  if (server === undefined || !/^https?:$/.test(protocol))
    throw new ValidationError("/move needs the address of a server", {
      hint: `Write /move https://robota.example, or set ${SERVER_VARIABLE}.`,
    });
  const { moveToServer } = await import("@robota/runtime/transports");
  const place = await moveToServer(session, accessTo(server, platform), { keepId: true });
  return { id: place.sessionId, server };
}

/**
 * Brings a session from its server to this machine.
 * @param target only `here`: the token is for one server
 * @throws {ValidationError} for any other target @throws as `moveFromServer`
 */
export async function bringHere(
  { sessionId }: RemoteSession,
  target: string,
  { platform, url, cwd }: { platform: Platform; url: string; cwd: string },
): Promise<MovedSession> {
  if (target !== "here")
    throw new ValidationError("From a server, a session moves here first", {
      hint: `Write /move here. ${TOKEN_VARIABLE} is the token of this server only.`,
    });
  const { moveFromServer } = await import("@robota/runtime/transports");
  const id = await moveFromServer(platform, sessionId, accessTo(url, platform), { cwd });
  return { id, server: undefined };
}

function accessTo(url: string, platform: Platform) {
  const token = platform.env(TOKEN_VARIABLE);
  if (!token)
    throw new ValidationError("There is no token for the server", {
      hint: `Set ${TOKEN_VARIABLE} to one with the scope admin, and start again.`,
    });
  return { url, token, fetch: platform.fetch };
}
