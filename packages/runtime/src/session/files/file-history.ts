import type { SessionEventBody } from "../log/events.ts";
import type { FileBefore } from "./past-version.ts";
import type { Payloads } from "./payloads.ts";
import type { VersionHistory } from "./tracked-file-system.ts";
import { keepContents, type ObservedFile } from "./versions.ts";
import { notRecorded } from "../log/storage-failures.ts";

/** Keeps one event well below every storage's limit for a value. */
const FILES_PER_EVENT = 2_000;

export interface FileHistoryOptions {
  /** Recorded since the last checkpoint. */
  known: { has(path: string): boolean };
  payloads: Payloads;
  /** Resolves when the events are durable. */
  commit(...bodies: SessionEventBody[]): Promise<void>;
  /** Records an event a moment later. */
  stream(body: SessionEventBody): void;
}

/** Writes into a session's log how files were. */
export class FileHistory implements VersionHistory {
  readonly #options: FileHistoryOptions;

  constructor(options: FileHistoryOptions) {
    this.#options = options;
  }

  has(path: string): boolean {
    return this.#options.known.has(path);
  }

  /** Takes down changes that were made already; their contents are kept. */
  async recordChanged(files: readonly FileBefore[]): Promise<void> {
    await this.#options.commit(...eventsOf(files));
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
    const files = await keepContents(this.#options.payloads, observedFiles);
    const bodies = eventsOf(files);
    // Absent files have no content to lose: these need not wait for the disk.
    if (files.some(hasContent)) await this.#options.commit(...bodies);
    else for (const body of bodies) this.#options.stream(body);
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
