import type { Journal } from "./journal.ts";
import { deleteJournal, journalName, readJournal } from "./journal-file.ts";
import { type Changes, noChanges, tryApply } from "./operation.ts";
import type { Tree } from "./tree.ts";

/**
 * The journal of one workspace while a tab has it open: opened once it pays, closed when another tab becomes the owner,
 * replayed after a crash.
 */
export class WorkspaceJournal {
  readonly #workspace: string;
  readonly #openAfter: number;
  #journal: Journal | undefined;
  #isOwner = false;
  #isRequested = false;
  #lightWrites = 0;
  /** Valid length of the journal: after it may be a record that was reported as failed. */
  #end = Infinity;

  /** @param openAfter number of light operations after which a journal is opened */
  constructor(workspace: string, openAfter: number) {
    this.#workspace = workspace;
    this.#openAfter = openAfter;
  }

  /** The open journal, if any. */
  get current(): Journal | undefined {
    return this.#journal;
  }

  own(): void {
    this.#isOwner = true;
  }

  disown(): void {
    this.#isOwner = false;
    this.#close();
  }

  /** Counts a light operation; enough of them open the journal. */
  countLightWrite(): void {
    if (this.#journal) return;
    this.#lightWrites += 1;
    if (this.#isRequested || this.#lightWrites <= this.#openAfter) return;
    this.#isRequested = true;
    this.#open().catch(() => undefined);
  }

  /** Closes a journal that could not be written. */
  abandon(): void {
    if (this.#journal) this.#end = this.#journal.end;
    this.#close();
  }

  /** Empties and closes the journal; one that is still being opened is no longer needed. */
  async dispose(): Promise<void> {
    this.#isOwner = false;
    await this.#journal?.empty();
    this.#close();
  }

  /** The bytes of the owner's journal; `undefined` for other tabs. */
  read(): Promise<Uint8Array | undefined> | undefined {
    return this.#isOwner ? readJournal(this.#workspace) : undefined;
  }

  /** Applies the journal's records beyond `tree`, which comes from the database. */
  async replay(tree: Tree, bytes: Uint8Array | undefined): Promise<Changes | undefined> {
    if (!bytes?.length) return undefined;
    const { recordsOf } = await import("./journal.ts");
    const records = recordsOf(bytes.subarray(0, this.#end));
    if (records[0]?.revision !== tree.revision) {
      // Invalidated, so that it can't match a later database that reaches the same revision.
      if (this.#journal) this.#journal.clear();
      else await deleteJournal(this.#workspace).catch(() => undefined);
      return undefined;
    }
    const waiting = noChanges();
    for (const { now, operations } of records) {
      for (const each of operations) tryApply(tree, each, now, waiting);
    }
    waiting.files = [];
    return waiting;
  }

  async #open(): Promise<void> {
    const { Journal } = await import("./journal.ts");
    const journal = await Journal.open(await journalName(this.#workspace));
    if (this.#isOwner) this.#journal = journal;
    else journal?.close();
  }

  #close(): void {
    this.#journal?.close();
    this.#journal = undefined;
  }
}
