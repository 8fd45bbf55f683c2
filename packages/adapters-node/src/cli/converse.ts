import type { Platform } from "@robota/runtime";
import type { ConversationCommand } from "./arguments/commands.ts";
import {
  type Opening,
  type OpenSession,
  runConversation,
  type RunOptions,
} from "./conversation/run-conversation.ts";
import { openLocalSession } from "./local-session.ts";
import { bringHere, moveCommand } from "./conversation/move-conversation.ts";
import { TOKEN_VARIABLE } from "./arguments/token-variable.ts";

/** Prompts that may wait at the terminal: what a person types ahead. */
const QUEUE_LIMIT = 20;

/** Converses in a session of this machine or of a server, and resolves to the exit code. */
export function converse(
  command: ConversationCommand,
  platform: Platform,
  version: string,
): Promise<number> {
  const { theme, cwd, remote, prompt } = command;
  return runConversation({
    platform,
    theme,
    version,
    place: remote ?? cwd,
    firstPrompt: prompt.trim() === "" ? undefined : prompt,
    open: (asked, opening) => {
      // Options for the first session hold for no other.
      const choice =
        asked === "first"
          ? command
          : { ...command, resume: asked.resume, forkSession: false, sessionId: undefined };
      const server = asked === "first" ? remote : asked.server;
      return server === undefined
        ? openHere(choice, platform, opening, asked !== "first" && asked.hasMoved)
        : openRemote({ ...choice, remote: server }, platform, opening);
    },
  });
}

type Open = ReturnType<RunOptions["open"]>;

async function openHere(
  choice: ConversationCommand,
  platform: Platform,
  { beforeQuestion }: Opening,
  hasMoved: boolean | undefined,
): Open {
  const notes: string[] = [];
  const { session, outputOf } = await openLocalSession(choice, platform, {
    note: (text) => notes.push(text),
    beforeQuestion,
    queueLimit: QUEUE_LIMIT,
    commandSources: [moveCommand(platform)],
    // It brings the turn along that ran at its former place.
    onInterruptedTurn: hasMoved ? "continue" : undefined,
  });
  await session.ready;
  return {
    session,
    outputOf,
    cwd: choice.cwd,
    isMoveCut: () => session.handedOverTo !== undefined,
    bringHere() {
      const { sessionId = "", url = "" } = session.handedOverTo ?? {};
      return bringHere(sessionId, url, { platform, cwd: choice.cwd });
    },
    notes,
    resumeWith: `--resume ${session.sessionId}`,
  };
}

async function openRemote(
  { remote: url, resume, permissionMode, cwd }: ConversationCommand & { remote: string },
  platform: Platform,
  { onConnection }: Opening,
): Promise<OpenSession> {
  const { RemoteSession } = await import("@robota/runtime/transports");
  let connection = "";
  const options = {
    url,
    token: platform.env(TOKEN_VARIABLE),
    fetch: platform.fetch,
    onConnection: (state: string): void => {
      connection = state;
      onConnection();
    },
  };
  const session =
    typeof resume === "object"
      ? new RemoteSession({ ...options, sessionId: resume.id })
      : await RemoteSession.create({ ...options, permissionMode });
  await session.ready;
  return {
    session,
    server: url,
    notes: [],
    bringHere: () => bringHere(session.sessionId, url, { platform, cwd }),
    resumeWith: `--remote ${url} --resume ${session.sessionId}`,
    connection: () => (connection === "open" || connection === "" ? undefined : connection),
  };
}
