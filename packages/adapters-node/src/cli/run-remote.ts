import type { Platform } from "@robota/runtime";
import { RemoteSession } from "@robota/runtime/transports";
import type { PromptCommand } from "./arguments/commands.ts";
import { askPerson } from "./ask-person.ts";
import { Progress } from "./progress.ts";
import { isAttended, readInput } from "./read-input.ts";
import { runHeadless } from "./run-headless.ts";
import { nodeTerminal } from "../terminal.ts";
import { TOKEN_VARIABLE } from "./arguments/token-variable.ts";

/** Runs one turn of a session on a server, prints the answer, and resolves to the exit code. */
export async function runRemote(
  command: PromptCommand & { remote: string },
  platform: Platform,
): Promise<number> {
  const { remote: url, resume, permissionMode, outputFormat } = command;
  const sessionId = typeof resume === "object" ? resume.id : undefined;
  const progress = new Progress(process.stderr, platform.env("TERM"));
  const input = await readInput(command, (text) => progress.line("dim", text));
  let stop = (): void => {};
  const isWatched = isAttended(command);
  const options = {
    url,
    token: platform.env(TOKEN_VARIABLE),
    fetch: platform.fetch,
    permissionHandler: isWatched
      ? askPerson({
          terminal: nodeTerminal({ output: process.stderr }),
          aside: (question) => progress.aside(question),
          onLeave: () => stop(),
        })
      : undefined,
  };
  await using session =
    sessionId === undefined
      ? await RemoteSession.create({ ...options, permissionMode })
      : new RemoteSession({ ...options, sessionId });
  stop = () => session.abort();
  await session.ready;
  progress.line("dim", `Session ${session.sessionId}`);
  // Awaited here: the session is closed as soon as this function returns.
  return await runHeadless(session, {
    input,
    format: outputFormat,
    progress,
    isAttended: isWatched,
    refusalHint: (rule) => `Allow ${rule} in the settings of the server.`,
  });
}
