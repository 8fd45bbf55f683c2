import { defined } from "../../defined.ts";
import { ConfigurationError, ValidationError } from "../../errors.ts";
import { bringing } from "../../ports/brought-files.ts";
import { normalizePath } from "../../ports/path.ts";
import type { Platform } from "../../ports/platform.ts";
import type { Storage } from "../../ports/storage.ts";
import { removeSession } from "../store/remove-session.ts";
import { acquireSession } from "../log/lease.ts";
import { createEventCheck } from "./check.ts";
import { IncomingFiles, placeFiles } from "./incoming-files.ts";
import { IncomingLog } from "./incoming-log.ts";
import { type Incoming, openIncoming, takeLines } from "./incoming.ts";
import type { ImportLimits } from "./lines.ts";
import { sessionKey } from "../store/storage-keys.ts";
import { requireSessionId } from "../session-id.ts";

export interface ImportOptions {
  /** The working directory here, absolute; `/` when omitted. No imported path lies outside of it. */
  cwd?: string | undefined;
  /**
   * The session's id here. When omitted, its original one if free, else a new one. A session of that id that was handed
   * over is replaced, if it comes back `trusted`, handed over to that id.
   */
  sessionId?: string | undefined;
  /**
   * The destination of its files: the session alone, as a view over the working directory, which stays unchanged
   * (`own`, when omitted), or the working directory itself, overwriting what is there (`workspace`). `none`: nowhere.
   */
  files?: "own" | "workspace" | "none" | undefined;
  /**
   * Declares the session your own: its grants, its permission mode, its system message and its waiting prompts count,
   * and with `workspace` its files. Otherwise, an answered call without a result is asked for again. Where `handOver`
   * named this id, an open turn goes on here, as `onInterruptedTurn` says; of a mere copy, it ends.
   */
  trusted?: boolean | undefined;
  limits?: Partial<ImportLimits> | undefined;
}

/**
 * The parts of a host that an import needs. On a host with a home whose files are the person's own, imported files wait
 * for trust; pass the platform itself.
 */
export type ImportTarget = Pick<Platform, "storage" | "fs" | "now" | "randomUUID"> &
  Partial<Pick<Platform, "home" | "userSettings">>;

/** Implements `importSession`. */
export async function importStored(
  platform: ImportTarget,
  stream: ReadableStream<Uint8Array>,
  options: ImportOptions = {},
): Promise<string> {
  const { storage } = platform;
  const { sessionId: wanted, trusted = false, limits } = options;
  if (wanted !== undefined && trusted) {
    requireSessionId(wanted);
    const { readReturning, sealOf } = await import("./returning.ts");
    const seal = await sealOf(storage, wanted);
    if (seal) {
      await using _lease = await acquireSession(storage, wanted, false);
      const log = await readReturning(stream, defined({ sessionId: wanted, seal, limits }));
      const incoming = await openIncoming(log, limits);
      // From here on, the other host alone has the session, until the import is complete. It can be repeated.
      await removeSession(storage, wanted);
      await receiveSession(platform, wanted, incoming, options);
      return wanted;
    }
  }
  const incoming = await openIncoming(stream, limits);
  try {
    const sessionId = await idFor(platform, wanted, incoming.id);
    await using _lease = await acquireSession(storage, sessionId, false);
    await receiveSession(platform, sessionId, incoming, options);
    return sessionId;
  } finally {
    await incoming.lines.return();
  }
}

/** Stores a session under an id that is free and leased by the caller; after a failure, nothing is left of it. */
export async function receiveSession(
  platform: ImportTarget,
  sessionId: string,
  incoming: Incoming,
  options: Omit<ImportOptions, "sessionId"> = {},
): Promise<void> {
  const { storage } = platform;
  try {
    await receive(platform, sessionId, incoming, options);
  } catch (error) {
    await removeSession(storage, sessionId);
    throw error;
  }
}

async function receive(
  host: ImportTarget,
  sessionId: string,
  { id, cwd, lines, first, limits }: Incoming,
  { cwd: to = "/", files = "own", trusted = false }: Omit<ImportOptions, "sessionId">,
): Promise<void> {
  const { storage, fs, now, randomUUID } = host;
  if (!to.startsWith("/"))
    throw new ConfigurationError(`${JSON.stringify(to)} is not an absolute path`, {
      hint: "Give the working directory as the platform's files name it.",
    });
  const moved = { from: cwd, to: normalizePath(to) };
  const log = new IncomingLog({
    storage,
    sessionId,
    moved,
    origin: id,
    trusted,
    hasOwnFiles: files === "own" && first.fields["files"] !== "none",
    check: await createEventCheck(),
    now,
    mark: randomUUID(),
  });
  const arriving = new IncomingFiles({
    storage,
    sessionId,
    moved,
    keeps: files !== "none",
    payloads: log.payloads,
    maxFiles: limits.files,
  });
  await takeLines(first, lines, async ({ event, payload, file, data, leftOut }) => {
    if (event !== undefined) await log.event(event);
    else if (payload !== undefined) await arriving.payload(payload, data);
    else if (file !== undefined) await arriving.file(file, data);
    else if (data !== undefined) await arriving.data(data);
    else if (leftOut !== undefined) log.leftOut(leftOut);
    // Skips lines of a later version, which this one does not know.
  });
  arriving.requireWhole();
  await log.end();
  if (files === "workspace" && arriving.count > 0) {
    const place = (): Promise<void> => placeFiles(fs, storage, sessionId, moved.to);
    await (trusted ? place() : bringing(host, moved.to, place));
  }
  // Writes the header last, as the mark of completeness.
  await log.saveHeader();
}

async function idFor(
  { storage, randomUUID }: Pick<ImportTarget, "storage" | "randomUUID">,
  wanted: string | undefined,
  own: string,
): Promise<string> {
  if (wanted === undefined) return (await isFree(storage, own)) ? own : randomUUID();
  requireSessionId(wanted);
  if (await isFree(storage, wanted)) return wanted;
  throw new ValidationError(`There is a session ${wanted} already`, {
    hint: "Leave sessionId out for a free one, or delete that session first.",
  });
}

async function isFree(storage: Storage, id: string): Promise<boolean> {
  if ((await storage.version(sessionKey(id))) !== undefined) return false;
  for await (const _ of storage.read(sessionKey(id))) return false;
  return true;
}
