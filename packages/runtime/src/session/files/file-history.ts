import type { SessionEventBody } from "../log/events.ts";
import type { SessionLog } from "../log/log.ts";
import type { SessionWriter } from "../log/session-writer.ts";
import type { SessionState } from "../state/state.ts";
import { type Checkpoints, FILES_NOT_COVERED, type UncoveredFiles } from "./checkpoints.ts";
import type { FileBefore } from "./past-version.ts";
import type { Payloads } from "./payloads.ts";
import type { VersionHistory } from "./tracked-file-system.ts";
import { keepContents, type ObservedFile } from "./versions.ts";
import { notRecorded } from "../log/storage-failures.ts";

/** Keeps one event well below every storage's limit for a value. */
const FILES_PER_EVENT = 2_000;

export interface FileHistoryParts {
  readonly state: Pick<SessionState, "cwd" | "checkpoints">;
  readonly writer: Pick<SessionWriter, "commit">;
  readonly log: Pick<SessionLog, "stream">;
}

/** Writes into a session's log how files were. */
export class FileHistory implements VersionHistory {
  readonly payloads: Payloads;
  readonly #parts: FileHistoryParts;
  readonly #checkpoints: Checkpoints;

  constructor(parts: FileHistoryParts, payloads: Payloads) {
    this.payloads = payloads;
    this.#parts = parts;
    this.#checkpoints = parts.state.checkpoints;
  }

  /** The directory whose files are followed. */
  get root(): string {
    return this.#parts.state.cwd;
  }

  has(path: string): boolean {
    return this.#checkpoints.has(path);
  }

  /** Takes down changes that were made already; their contents are kept. */
  async recordChanged(files: readonly FileBefore[]): Promise<void> {
    await this.#parts.writer.commit(...eventsOf(files));
  }

  /** Takes down, once, that the workspace is too large to be followed. */
  noteTooLarge(): void {
    const reason = "The workspace is too large to track the changes of commands.";
    this.#note({ path: this.root, reason });
  }

  /** Takes down the paths whose changes are not found, after a command that may have made some. */
  noteUncovered(files: readonly UncoveredFiles[]): void {
    for (const data of this.#checkpoints.notYetUncovered(files)) this.#note(data);
  }

  #note(data: UncoveredFiles): void {
    this.#parts.log.stream({ type: "note", kind: FILES_NOT_COVERED, data });
  }

  /** @throws {FileSystemError} `ENOSPC`, `EIO` when it can't be recorded: then nothing may be changed */
  async record(observedFiles: readonly ObservedFile[]): Promise<void> {
    try {
      await this.#record(observedFiles);
    } catch (cause) {
      throw notRecorded(cause, observedFiles[0]?.path ?? "/");
    }
  }

  async #record(observedFiles: readonly ObservedFile[]): Promise<void> {
    const files = await keepContents(this.payloads, observedFiles);
    const bodies = eventsOf(files);
    // Absent files have no content to lose: these need not wait for the disk.
    if (files.some(hasContent)) await this.#parts.writer.commit(...bodies);
    else for (const body of bodies) this.#parts.log.stream(body);
  }
}

function hasContent({ before }: FileBefore): boolean {
  return before !== null && "sha256" in before;
}

function eventsOf(files: readonly FileBefore[]): SessionEventBody[] {
  const bodies: SessionEventBody[] = [];
  for (let start = 0; start < files.length; start += FILES_PER_EVENT) {
    bodies.push({ type: "files_before", files: files.slice(start, start + FILES_PER_EVENT) });
  }
  return bodies;
}
