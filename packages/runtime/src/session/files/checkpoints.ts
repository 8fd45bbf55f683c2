import type { Message } from "../../messages/message.ts";
import type { SessionEventOf } from "../log/events.ts";
import type { FileBefore } from "./past-version.ts";
import { type RecordedTurn, RecordedVersions } from "./recorded-versions.ts";
import type { SessionHistory } from "../state/session-history.ts";

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
  history: SessionHistory;
  completedTurns: number;
}

/**
 * A checkpoint with the lists of that moment, which only grow: how many entries they had is enough to have them again.
 * One object, since there is one for each turn.
 */
interface Mark extends Checkpoint, RecordedTurn {
  id: string;
  seq: number;
  messages: readonly Message[];
  messageCount: number;
  history: SessionHistory;
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
  #versions = new RecordedVersions();
  #uncovered: Map<string, string> | undefined;
  /** Paths recorded since the last checkpoint, or since the turn's end: what follows is no change of the turn. */
  #known: Set<string> | undefined;

  /** The earlier versions of changed files. Complete even before `recall`. */
  get versions(): RecordedVersions {
    return this.#versions;
  }

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
    this.#versions = found.#versions;
    this.#uncovered = found.#uncovered;
  }

  begin(event: SessionEventOf<"turn_start">, conversation: RewoundConversation): void {
    const { seq, time, turnId = `turn-${seq}` } = event;
    const input = event.displayInput ?? event.input;
    this.#versions.begin(this.#add({ id: turnId, kind: "turn", seq, time, input }, conversation));
  }

  end({ turnId, seq }: SessionEventOf<"turn_end">): void {
    this.#known = undefined;
    if (turnId !== undefined) this.#versions.end(turnId, seq);
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
    this.#versions.setTurns(this.#marks.filter((mark) => mark.kind === "turn"));
    this.#add(undo, conversation, earlier);
    return {
      messages: target.messages.slice(0, target.messageCount),
      history: target.history.firstPart(target.historyCount),
      completedTurns: target.completedTurns,
    };
  }

  /** Takes down how files were. */
  changed({ seq, files }: SessionEventOf<"files_before">): void {
    for (const file of files) {
      this.#versions.add(seq, file);
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
    if (id === SESSION_START) return this.#versions.filesAfter(0);
    const mark = this.#find(id);
    return mark && this.#versions.filesAfter(mark.seq);
  }

  #add(
    { id, kind, seq, time, input }: Checkpoint,
    conversation: RewoundConversation,
    earlier: readonly Mark[] = this.#marks,
  ): Mark {
    this.#known = undefined;
    const { messages, history, completedTurns } = conversation;
    const mark: Mark = {
      id,
      kind,
      seq,
      end: undefined,
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
    return mark;
  }
}
