import { ConfigurationError, ValidationError } from "../../errors.ts";
import type { SessionCore } from "../core.ts";
import { type ExportOptions, exportStored } from "./export.ts";
import { type ImportOptions, openIncoming, receiveSession } from "./import.ts";

/** How a session that is open takes another one in. */
export type ImportIntoOptions = Pick<ImportOptions, "files" | "trusted" | "limits">;

/** An open session as a stream, with the files that its tools work on. */
export async function exportOpen(
  core: SessionCore,
  options: ExportOptions,
): Promise<ReadableStream<Uint8Array>> {
  const { given, files, log, sessionId } = core;
  requireStorage(core);
  await log.flush();
  const { storage, fs } = given;
  return exportStored(files ? { storage, fs } : { storage }, sessionId, options);
}

/** Stores an exported session under the id of an open one, in which nothing has happened. */
export async function receiveInto(
  core: SessionCore,
  stream: ReadableStream<Uint8Array>,
  options: ImportIntoOptions,
): Promise<void> {
  const { given, clock, state, sessionId } = core;
  requireStorage(core);
  if (state.isInitialised) {
    throw new ValidationError(`The session ${sessionId} has a past already`, {
      hint: "Import into a session in which nothing has happened, or make a new one.",
    });
  }
  const incoming = await openIncoming(stream, options.limits);
  const { storage, fs, home, userSettings } = given;
  const target = {
    storage,
    fs,
    now: clock.now,
    home,
    ...(userSettings !== undefined && { userSettings }),
  };
  try {
    await receiveSession(target, sessionId, incoming, { ...options, cwd: state.cwd });
  } finally {
    await incoming.lines.return();
  }
}

function requireStorage({ hasStorage }: SessionCore): void {
  if (hasStorage) return;
  throw new ConfigurationError("A session that is kept nowhere can't be moved", {
    hint: "Give it a platform with storage.",
  });
}
