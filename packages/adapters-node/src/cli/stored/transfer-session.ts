import { createReadStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  ConfigurationError,
  exportSession,
  importSession,
  type Platform,
  replaySession,
  RobotaError,
} from "@robota/runtime";
import { errnoOf } from "../../files/file-error.ts";
import type { ExportCommand, ImportCommand } from "../arguments/commands.ts";
import { UsageError } from "../arguments/usage-error.ts";
import { printable } from "../printable.ts";
import { findId } from "./find-session.ts";

/** Writes a stored session as lines of JSON, to a new file or to standard output. */
export async function writeExport(
  { id: given, files, output }: ExportCommand,
  platform: Platform,
): Promise<void> {
  const id = await findId(platform.storage, given);
  const lines = Readable.fromWeb(exportSession(platform, id, { files }));
  // A file that is there already is kept, and standard output is not ours to close.
  if (output === undefined) await pipeline(lines, process.stdout, { end: false });
  else await writeWhole(lines, output);
}

/** Leaves no part of a file behind: it would be in the way of the next attempt. @throws {ConfigurationError} */
async function writeWhole(lines: Readable, output: string): Promise<void> {
  const file = await open(output, "wx", 0o600).catch((cause: unknown) => {
    const problem = errnoOf(cause) === "EEXIST" ? "is there already" : "can't be written";
    const hint = "Choose another --output.";
    throw new ConfigurationError(`${output} ${problem}`, { hint, cause });
  });
  try {
    await pipeline(lines, file.createWriteStream());
  } catch (error) {
    await rm(output, { force: true });
    throw error;
  }
}

/** Makes a session of such lines, from a file or standard input (`-`), and prints its id. */
export async function readImport(
  { source, files, cwd }: ImportCommand,
  platform: Platform,
): Promise<void> {
  const stream = await linesOf(source);
  const id = await importSession(platform, stream, { cwd, files });
  process.stdout.write(`${id}\n`);
  process.stderr.write(`Continue with: robota --resume ${id}\n`);
}

/** Runs a recorded session again without a model, and compares. Resolves to the exit code. */
export async function replayStored(given: string, platform: Platform): Promise<number> {
  const id = await findId(platform.storage, given);
  try {
    const { events } = await replaySession({ storage: platform.storage, sessionId: id }, platform);
    process.stdout.write(`The same: ${events.length} events, replayed without a model\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof RobotaError) || error.code !== "REPLAY_DIVERGED") throw error;
    process.stdout.write(`${printable(error.message)}\n`);
    return 1;
  }
}

async function linesOf(source: string): Promise<ReadableStream<Uint8Array>> {
  const from = source === "-" ? process.stdin : createReadStream(await readable(source));
  return Readable.toWeb(from) as ReadableStream<Uint8Array>;
}

/** @throws {UsageError} for a file that can't be read, before anything is created */
async function readable(path: string): Promise<string> {
  try {
    await using file = await open(path, "r");
    if (!(await file.stat()).isDirectory()) return path;
  } catch (cause) {
    throw new UsageError(`can't read ${path}`, { cause });
  }
  throw new UsageError(`can't read ${path}: it is a directory`);
}
