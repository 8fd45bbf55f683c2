import type { FileBefore } from "./past-version.ts";

/** A turn of the current conversation. */
export interface RecordedTurn {
  readonly id: string;
  /** Number of the event that began it. */
  readonly seq: number;
  /** Number of the event that ended it; absent until then, as JSON has it. */
  end?: number | null | undefined;
}

/** A file that a turn changed: its version before, and, where it was changed again since, after. */
export interface RecordedChange {
  before: FileBefore;
  after: FileBefore | undefined;
}

/** A changed file's version until an event. */
interface Recorded {
  readonly seq: number;
  readonly file: FileBefore;
  /** The next version of the same path. */
  next?: Recorded;
}

/** For a snapshot. */
export interface SavedVersions {
  turns: [id: string, seq: number, end: RecordedTurn["end"]][];
  files: [seq: number, file: FileBefore][];
}

/**
 * The earlier versions of all changed files, and the turns that they belong to. A question about one turn or about the
 * session costs as much as its answer, however long the log is.
 */
export class RecordedVersions {
  /** In the order of their starts. */
  #turns: RecordedTurn[] = [];
  /** The last turn that began. A rewind may have taken it out of the conversation before its end. */
  #latest: RecordedTurn | undefined;
  /** In the order of the changes. */
  readonly #all: Recorded[] = [];
  /** The first version of each path. */
  readonly #first: FileBefore[] = [];
  /** The last version by path. Most sessions need none. */
  #last: Map<string, Recorded> | undefined;

  begin(turn: RecordedTurn): void {
    this.#turns.push(turn);
    this.#latest = turn;
  }

  end(turnId: string, seq: number): void {
    const isLatest = this.#latest?.id === turnId;
    const turn = isLatest ? this.#latest : this.#find(turnId);
    if (turn) turn.end = seq;
  }

  /** Replaces the turns of the conversation, after a rewind. */
  setTurns(turns: readonly RecordedTurn[]): void {
    this.#turns = [...turns];
  }

  add(seq: number, file: FileBefore): void {
    const recorded: Recorded = { seq, file };
    const last = this.#last?.get(file.path);
    if (last) last.next = recorded;
    else this.#first.push(file);
    this.#all.push(recorded);
    (this.#last ??= new Map()).set(file.path, recorded);
  }

  /** The versions at an event of all files changed since. */
  filesAfter(seq: number): FileBefore[] {
    if (seq === 0) return [...this.#first];
    return this.#between(seq, Infinity).map(({ file }) => file);
  }

  /** The changed files of a turn. `undefined`: the current conversation has no such turn. */
  changesIn(turnId: string): RecordedChange[] | undefined {
    const turn = this.#find(turnId);
    if (!turn) return undefined;
    const end = turn.end ?? Infinity;
    return this.#between(turn.seq, end).map(({ file, next: later }) => {
      while (later && later.seq <= end) later = later.next;
      return { before: file, after: later?.file };
    });
  }

  save(): SavedVersions {
    return {
      turns: this.#turns.map(({ id, seq, end }) => [id, seq, end]),
      files: this.#all.map(({ seq, file }) => [seq, file]),
    };
  }

  restore({ turns, files }: SavedVersions): void {
    this.setTurns(turns.map(([id, seq, end]) => ({ id, seq, end })));
    for (const saved of files) this.add(...saved);
  }

  #find(turnId: string): RecordedTurn | undefined {
    return this.#turns.findLast(({ id }) => id === turnId);
  }

  /** The first version of each path that was changed between two events. */
  #between(start: number, end: number): Recorded[] {
    const found = new Map<string, Recorded>();
    for (let place = this.#placeAfter(start); place < this.#all.length; place++) {
      const recorded = this.#all[place] as Recorded;
      if (recorded.seq > end) break;
      const { path } = recorded.file;
      if (!found.has(path)) found.set(path, recorded);
    }
    return [...found.values()];
  }

  #placeAfter(seq: number): number {
    let [low, high] = [0, this.#all.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#all[middle] as Recorded).seq > seq) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
