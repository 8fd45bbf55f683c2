import { type Platform, ValidationError } from "@robota/runtime";
import type { Command, CommandSource } from "@robota/runtime/sessions";
import { TOKEN_VARIABLE } from "../arguments/token-variable.ts";

/** Milliseconds for which a server that is not reached is tried: a person waits. */
const TIMEOUT_MS = 10_000;

/** The command `/move <address>` of sessions on this machine. Listed at once, and loaded when it is run: it takes long. */
export function moveCommand(platform: Platform): CommandSource {
  const command: Command = {
    name: "move",
    description: "Continue this session on a server",
    source: "builtin",
    argumentHint: "<address>",
    scope: "privilege",
    callers: ["person"],
    async execute(session, args, context) {
      const { MoveCommandSource } = await import("@robota/runtime/transports");
      const options = { timeoutMs: TIMEOUT_MS, accessTo: () => accessBy(platform) };
      const [move] = new MoveCommandSource(options).getCommands();
      return move?.execute?.(session, args, context) ?? { message: "", success: false };
    },
  };
  return { name: "move", getCommands: () => [command] };
}

/** Brings a session from its server to this machine, and resolves to its id here. @throws as `moveFromServer` */
export async function bringHere(
  sessionId: string,
  url: string,
  { platform, cwd }: { platform: Platform; cwd: string },
): Promise<string> {
  const { moveFromServer } = await import("@robota/runtime/transports");
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
