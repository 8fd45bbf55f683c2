import type { Message } from "../../messages/message.ts";
import type { SessionEventOf } from "../log/events.ts";
import type { FileBefore } from "./past-version.ts";
import type { HistoryEntry } from "../../messages/history.ts";

/** The note that says that changes below a path are not followed. */
export const FILES_NOT_COVERED = "files-not-covered";

/** Data of that note. */
export interface UncoveredFiles {
  path: string;
  /** The reason for a person. */
  reason: string;
}

/** Stands for the session's start where the id of a checkpoint is asked for. */
export const SESSION_START = "start";

/** The part of a session that a rewind restores. */
export type RewindScope = "files" | "conversation" | "both";

/** A point to rewind to: the start of a turn, or just before a rewind. */
export interface Checkpoint {
  id: string;
  kind: "turn" | "rewind";
  /** Number of the event that made it. */
  seq: number;
  /** Milliseconds since the epoch. */
  time: number;
  /** The turn's prompt; empty for a rewind. */
  input: string;
}

/** The conversation restored by a rewind. */
export interface RewoundConversation {
  messages: Message[];
  history: HistoryEntry[];
  completedTurns: number;
}

/**
 * A checkpoint with the lists of that moment, which only grow: how many entries they had is enough to have them again.
 * One object, since there is one for each turn.
 */
interface Mark extends Checkpoint {
  messages: readonly Message[];
  messageCount: number;
  history: readonly HistoryEntry[];
  historyCount: number;
  completedTurns: number;
  earlier: readonly Mark[];
  earlierCount: number;
}

/** The points that a session can go back to, and how files were at each of them. */
export class Checkpoints {
  #marks: Mark[] = [];
  /** Every rewind, also those of conversations that a later one has left: undoing one leads back there. */
  #rewinds: Map<string, Mark> | undefined;
  /** Number of the last event of each finished turn, by its id. */
  readonly #ends = new Map<string, number>();
  /** Every changed file with its previous version, in the order of the changes. */
  #files: (FileBefore & { seq: number })[] = [];
  #uncovered: Map<string, string> | undefined;
  /** Paths recorded since the last checkpoint, or since the turn's end: what follows is no change of the turn. */
  #known: Set<string> | undefined;

  list(): Checkpoint[] {
    return this.#marks.map(({ id, kind, seq, time, input }) => ({ id, kind, seq, time, input }));
  }

  /** A checkpoint of `list()`, or any rewind ever made. */
  find(id: string): Checkpoint | undefined {
    return this.#find(id);
  }

  #find(id: string): Mark | undefined {
    return this.#marks.find((mark) => mark.id === id) ?? this.#rewinds?.get(id);
  }

  has(path: string): boolean {
    return this.#known?.has(path) ?? false;
  }

  /** Takes over checkpoints computed elsewhere, from the session's start up to here. */
  recall(found: Checkpoints): void {
    this.#marks = found.#marks;
    this.#rewinds = found.#rewinds;
    for (const [turnId, seq] of found.#ends) this.#ends.set(turnId, seq);
    this.#files = found.#files;
    this.#uncovered = found.#uncovered;
  }

  begin(event: SessionEventOf<"turn_start">, conversation: RewoundConversation): void {
    const { seq, time, turnId = `turn-${seq}`, displayInput, input } = event;
    this.#add({ id: turnId, kind: "turn", seq, time, input: displayInput ?? input }, conversation);
  }

  end({ turnId, seq }: SessionEventOf<"turn_end">): void {
    this.#known = undefined;
    if (turnId !== undefined) this.#ends.set(turnId, seq);
  }

  /** The conversation from here on. */
  rewind(event: SessionEventOf<"rewind">, conversation: RewoundConversation): RewoundConversation {
    const { seq, time, checkpointId, what } = event;
    const target = this.#find(checkpointId);
    const undo: Checkpoint = { id: `rewind-${seq}`, kind: "rewind", seq, time, input: "" };
    if (!target || what === "files") {
      this.#add(undo, conversation);
      return conversation;
    }
    const earlier = this.#marks;
    this.#marks = target.earlier.slice(0, target.earlierCount);
    this.#add(undo, conversation, earlier);
    return {
      messages: target.messages.slice(0, target.messageCount),
      history: target.history.slice(0, target.historyCount),
      completedTurns: target.completedTurns,
    };
  }

  /** Takes down how files were. */
  changed({ seq, files }: SessionEventOf<"files_before">): void {
    for (const file of files) {
      this.#files.push({ ...file, seq });
      (this.#known ??= new Set()).add(file.path);
    }
  }

  /** Takes down that changes below a path are not followed from now on. */
  uncovered({ path, reason }: UncoveredFiles): void {
    (this.#uncovered ??= new Map()).set(path, reason);
  }

  /** The entries of `files` that were not reported before. */
  notYetUncovered(files: readonly UncoveredFiles[]): UncoveredFiles[] {
    return files.filter(({ path }) => !this.#uncovered?.has(path));
  }

  /** Paths with possible unrecorded changes. */
  listUncovered(): UncoveredFiles[] {
    return [...(this.#uncovered ?? [])].map(([path, reason]) => ({ path, reason }));
  }

  /** The versions at a checkpoint of all files changed since. `undefined`: there is no such checkpoint. */
  filesAt(id: string): FileBefore[] | undefined {
    if (id === SESSION_START) return this.filesAfter(0);
    const mark = this.#find(id);
    return mark && this.filesAfter(mark.seq);
  }

  /** The versions at an event of all files changed since. */
  filesAfter(seq: number): FileBefore[] {
    const first = new Map<string, FileBefore>();
    for (let index = this.#files.length - 1; index >= 0; index--) {
      const file = this.#files[index] as FileBefore & { seq: number };
      if (file.seq <= seq) break;
      first.set(file.path, { path: file.path, before: file.before });
    }
    return [...first.values()];
  }

  /**
   * The changed files of a turn, each with its version before and, where it was changed again since, after. `undefined`:
   * the current conversation has no such turn.
   */
  changesIn(turnId: string): { before: FileBefore; after: FileBefore | undefined }[] | undefined {
    const start = this.#marks.find(({ id, kind }) => id === turnId && kind === "turn")?.seq;
    if (start === undefined) return undefined;
    const end = this.#ends.get(turnId) ?? Number.POSITIVE_INFINITY;
    const later = new Map(this.filesAfter(end).map((file) => [file.path, file]));
    const own = new Set<string>();
    for (const { seq, path } of this.#files) if (seq > start && seq <= end) own.add(path);
    return this.filesAfter(start)
      .filter(({ path }) => own.has(path))
      .map((before) => ({ before, after: later.get(before.path) }));
  }

  #add(
    { id, kind, seq, time, input }: Checkpoint,
    conversation: RewoundConversation,
    earlier: readonly Mark[] = this.#marks,
  ): void {
    this.#known = undefined;
    const { messages, history, completedTurns } = conversation;
    const mark: Mark = {
      id,
      kind,
      seq,
      time,
      input,
      messages,
      messageCount: messages.length,
      history,
      historyCount: history.length,
      completedTurns,
      earlier,
      earlierCount: earlier.length,
    };
    this.#marks.push(mark);
    if (kind === "rewind") (this.#rewinds ??= new Map()).set(id, mark);
  }
}
