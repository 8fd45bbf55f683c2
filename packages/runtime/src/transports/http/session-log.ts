import { SessionError } from "../../errors.ts";
import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { ExportOptions } from "../../session/transfer/export.ts";
import type { TransferredFiles } from "../../session/transfer/format.ts";
import { bodyChunks } from "./body/chunks.ts";
import { HttpProblem } from "./problem.ts";

export const LOG_HEADERS = { "content-type": "application/x-ndjson; charset=utf-8" };

interface LogLimits {
  logBytes: number;
  bodyIdleMs: number;
}

/** @throws {HttpProblem} 400 */
export function filesQuery(text: string | undefined): TransferredFiles {
  if (text === undefined || text === "changed") return "changed";
  if (text === "workspace" || text === "none") return text;
  throw new HttpProblem(400, "VALIDATION_ERROR", `"${text}" is not a value for files.`, {
    hint: "Ask for files=changed, files=workspace or files=none.",
  });
}

/** @throws {HttpProblem} 400 */
export function flagQuery(name: string, text: string | undefined): boolean {
  if (text === undefined || text === "false") return false;
  if (text === "true") return true;
  throw new HttpProblem(400, "VALIDATION_ERROR", `"${text}" is not a value for ${name}.`, {
    hint: `Send ${name}=true or ${name}=false.`,
  });
}

/**
 * An exported session as a body. A failure before the first byte is thrown, so that it becomes the answer.
 * @throws {SessionError} `NOT_FOUND` for an empty session
 */
export async function exportedLog(
  session: InteractiveSession,
  options: ExportOptions,
): Promise<ReadableStream<Uint8Array>> {
  const reader = (await session.export(options)).getReader();
  let first = await reader.read();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = first;
        if (done) return controller.close();
        controller.enqueue(value);
        first = await reader.read();
      },
      cancel: () => reader.cancel(),
    },
    { highWaterMark: 0 },
  );
}

/**
 * Lets an empty session go on from a body, of which at most `logBytes` are read.
 * @throws {HttpProblem} 408, 409, 413 @throws as `Session.importInto`
 */
export async function importLog(
  session: InteractiveSession,
  body: ReadableStream<Uint8Array> | null,
  limits: LogLimits,
  trusted = false,
): Promise<void> {
  await session.ready;
  if (!session.isEmpty) {
    await body?.cancel();
    throw new HttpProblem(409, "NOT_EMPTY", "This session was used already.", {
      hint: "Make a new session with POST /v1/sessions, and import into that one.",
    });
  }
  try {
    const log = limited(body, limits);
    await session.importInto(log, { trusted, limits: { bytes: Infinity } });
  } catch (error) {
    // The fault is in the uploaded log, not here.
    if (!(error instanceof SessionError)) throw error;
    const { code, message, hint } = error;
    if (code !== "LOG_CORRUPT" && code !== "LOG_VERSION") throw error;
    throw new HttpProblem(422, code, message, { hint, cause: error });
  }
}

function limited(
  body: ReadableStream<Uint8Array> | null,
  { logBytes, bodyIdleMs }: LogLimits,
): ReadableStream<Uint8Array<ArrayBufferLike>> {
  const chunks = bodyChunks(body, bodyIdleMs);
  let size = 0;
  return new ReadableStream<Uint8Array<ArrayBufferLike>>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) return controller.close();
        size += value.length;
        if (size <= logBytes) return controller.enqueue(value);
        await chunks.return();
        throw new HttpProblem(413, "BODY_TOO_LARGE", `The body is over ${logBytes} bytes.`, {
          hint: "Export the session with files=none, or with fewer files.",
        });
      },
      async cancel() {
        await chunks.return();
      },
    },
    { highWaterMark: 0 },
  );
}
