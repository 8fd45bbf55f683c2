import { ConfigurationError, ValidationError } from "../../errors.ts";
import type { Platform } from "../../ports/platform.ts";
import type { Clock } from "../../ports/assemble.ts";
import type { SessionFiles } from "../files/session-files.ts";
import type { SessionLog } from "../log/log.ts";
import type { SessionWriter } from "../log/session-writer.ts";
import { unlessFull } from "../log/storage-failures.ts";
import type { SessionState } from "../state/state.ts";
import type { TurnRunner } from "../turn/turn-runner.ts";
import { type ExportOptions, exportStored } from "./export.ts";
import { type ImportOptions, receiveSession } from "./import.ts";
import { openIncoming } from "./incoming.ts";

export interface TransferParts {
  readonly sessionId: string;
  readonly hostPlatform: Platform;
  readonly clock: Clock;
  readonly hasStorage: boolean;
  readonly log: SessionLog;
  readonly state: SessionState;
  readonly files: SessionFiles | undefined;
}

/** Options for importing into an open session. */
export type ImportIntoOptions = Pick<ImportOptions, "files" | "trusted" | "limits">;

/** Exports an open session as a stream, with the files that its tools work on. */
export async function exportOpen(
  parts: TransferParts,
  options: ExportOptions,
): Promise<ReadableStream<Uint8Array>> {
  const { hostPlatform, files, log, sessionId } = parts;
  requireStorage(parts);
  // Events without room are left out: an export is the way to save the rest.
  await log.flush().catch(unlessFull);
  const { storage, fs } = hostPlatform;
  return exportStored(files ? { storage, fs } : { storage }, sessionId, options);
}

/** What is imported into a session that is open, and how it loads that. */
export interface ImportIntoOpen {
  stream: ReadableStream<Uint8Array>;
  options: ImportIntoOptions | undefined;
  reload: () => Promise<void>;
}

/** Implements `Session.importInto`. */
export async function importInto(
  parts: TransferParts & { readonly writer: SessionWriter },
  turns: TurnRunner,
  { stream, options, reload }: ImportIntoOpen,
): Promise<void> {
  await parts.writer.beginWith(async () => {
    await turns.exclusively("import", (signal) =>
      storeIncoming(parts, stream, options ?? {}, signal),
    );
    await reload();
  });
}

/** Stores an exported session under the id of an open, still empty one. An abort ends it while the stream arrives. */
async function storeIncoming(
  parts: TransferParts,
  stream: ReadableStream<Uint8Array>,
  options: ImportIntoOptions,
  signal: AbortSignal,
): Promise<void> {
  const { hostPlatform, clock, state, sessionId } = parts;
  requireStorage(parts);
  if (state.isInitialised) {
    throw new ValidationError(`Session ${sessionId} already has a history`, {
      hint: "Import into an empty session, or create a new one.",
    });
  }
  const incoming = await openIncoming(stream, options.limits, signal);
  const { storage, fs, home, userSettings } = hostPlatform;
  const target = { storage, fs, ...clock, home, userSettings };
  try {
    await receiveSession(target, sessionId, incoming, { ...options, cwd: state.cwd });
  } finally {
    await incoming.lines.return();
  }
}

function requireStorage({ hasStorage }: TransferParts): void {
  if (hasStorage) return;
  throw new ConfigurationError("A session without storage cannot be exported or imported into", {
    hint: "Pass a platform with storage.",
  });
}
