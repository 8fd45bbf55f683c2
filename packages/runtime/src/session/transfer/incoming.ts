import { SessionError } from "../../errors.ts";
import { normalizePath } from "../../ports/path.ts";
import { requireSessionId } from "../session-id.ts";
import { TRANSFER_FORMAT, TRANSFER_VERSION } from "./format.ts";
import {
  cut,
  DEFAULT_IMPORT_LIMITS,
  type ImportLimits,
  invalid,
  readLines,
  type TransferLine,
} from "./lines.ts";
import { isObject } from "./safe-events.ts";

/** A session whose first line has arrived. */
export interface Incoming {
  /** Id of the exported session. */
  id: string;
  /** Its original working directory. */
  cwd: string;
  lines: AsyncGenerator<TransferLine, void>;
  first: TransferLine;
  limits: ImportLimits;
}

/** @throws {ValidationError} @throws {SessionError} `LOG_VERSION`, `LOG_CORRUPT` */
export async function openIncoming(
  stream: ReadableStream<Uint8Array>,
  given: Partial<ImportLimits> = {},
  signal?: AbortSignal,
): Promise<Incoming> {
  const limits = { ...DEFAULT_IMPORT_LIMITS, ...given };
  const lines = readLines(stream, limits, signal);
  try {
    const next = await lines.next();
    if (next.done) throw cut();
    const first = next.value;
    const { format, version, session } = first.fields;
    if (format !== TRANSFER_FORMAT || typeof version !== "number")
      throw invalid(`its first line is not that of ${TRANSFER_FORMAT}`);
    if (version > TRANSFER_VERSION) {
      throw new SessionError("LOG_VERSION", `The session was exported in format ${version}`, {
        hint: `This version reads formats up to ${TRANSFER_VERSION}. Update it to import the session.`,
      });
    }
    const { id, cwd } = isObject(session) ? session : {};
    if (typeof id !== "string" || typeof cwd !== "string" || !cwd.startsWith("/"))
      throw invalid("its first line names no session and no working directory");
    requireSessionId(id);
    return { id, cwd: normalizePath(cwd), lines, first, limits };
  } catch (error) {
    await lines.return();
    throw error;
  }
}

/** Passes on every line between the first and the last, and verifies that none is missing or changed. */
export async function takeLines(
  first: TransferLine,
  lines: AsyncGenerator<TransferLine, void>,
  take: (fields: Record<string, unknown>) => Promise<void> | void,
): Promise<void> {
  const { sha256 } = await import("@noble/hashes/sha2.js");
  const hash = sha256.create().update(first.bytes);
  let count = 1;
  for await (const { fields, bytes } of lines) {
    const { end } = fields;
    if (end !== undefined) {
      const digest = Array.from(hash.digest(), (byte) => byte.toString(16).padStart(2, "0")).join(
        "",
      );
      if (!isObject(end) || end["lines"] !== count || end["sha256"] !== digest) throw cut();
      if (!(await lines.next()).done) throw invalid("something follows its last line");
      return;
    }
    await take(fields);
    hash.update(bytes);
    count += 1;
  }
  throw cut();
}
