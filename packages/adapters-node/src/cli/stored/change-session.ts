import { deleteSession, InteractiveSession, type Platform, SessionError } from "@robota/runtime";
import { printable } from "../printable.ts";
import { chooseProvider } from "../provider.ts";
import { findId } from "./find-session.ts";

/** Gives a stored session another name. @throws {SessionError} `NOT_FOUND`, `SESSION_BUSY` */
export async function renameSession(
  platform: Platform,
  given: string,
  name: string,
): Promise<void> {
  await using session = await openStored(platform, given);
  await session.setName(name);
}

/** Removes a stored session with all that belongs to it. @throws {SessionError} `NOT_FOUND`, `SESSION_BUSY` */
export async function removeSession({ storage }: Platform, given: string): Promise<void> {
  const id = await findId(storage, given);
  await deleteSession(storage, id);
  process.stderr.write(`Deleted ${id}\n`);
}

/**
 * Lists the turns of a stored session, latest first, or goes back to before one of them, as `/rewind` does. Resolves to
 * the exit code. @throws {SessionError} `NOT_FOUND`, `SESSION_BUSY`
 */
export async function rewindSession(
  platform: Platform,
  given: string,
  words: readonly string[],
): Promise<number> {
  await using session = await openStored(platform, given);
  const checkpoints = session.checkpoints();
  if (words.length === 0) {
    for (const [at, { kind, input }] of checkpoints.toReversed().entries()) {
      const text = kind === "rewind" ? "(before a rewind)" : input || "(attachments)";
      process.stdout.write(`${at + 1}  ${printable(text).replaceAll("\n", " ")}\n`);
    }
    return 0;
  }
  const result = await session.executeCommand("rewind", words.join(" "));
  const stream = result?.success ? process.stdout : process.stderr;
  stream.write(`${printable(result?.message ?? "")}\n`);
  return result?.success ? 0 : 1;
}

/** Opens a stored session for a change that needs no model. */
async function openStored(platform: Platform, given: string): Promise<InteractiveSession> {
  const resumeSessionId = await findId(platform.storage, given);
  const { provider } = await chooseProvider({ provider: "offline" }, {}, platform);
  const session = new InteractiveSession({
    platform,
    provider,
    resumeSessionId,
    // Nothing of the project is in force: only the session itself is changed.
    trustWorkspace: false,
  });
  await session.ready;
  if (session.handedOverTo) {
    await session.shutdown();
    throw new SessionError("HANDED_OVER", `The session ${resumeSessionId} went to another place`, {
      hint: "Change it there.",
    });
  }
  return session;
}
