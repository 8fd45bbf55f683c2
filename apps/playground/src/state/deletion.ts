import { createCell, type Readable } from "@robota/react/store";
import { workspaceId } from "./current-workspace.ts";
import { readStored, writeStored } from "./preferences.ts";

/** Milliseconds in which a deletion can be undone. */
const UNDO_MS = 8000;
const KEY = `robota.deletion.${workspaceId}`;

/** A deletion that can still be undone. */
export interface Deletion {
  id: string;
  title: string;
  /** The time at which it becomes final, in milliseconds since the epoch. */
  until: number;
}

/** The one deletion that can be undone. It is stored, so that a reload neither brings the session back nor takes the time to undo. */
export class PendingDeletion {
  readonly #finish: (id: string) => Promise<void>;
  readonly #pending = createCell<Deletion | undefined>(undefined);
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `finish` deletes for good, and does not reject: what can't be deleted is on the list again. */
  constructor(finish: (id: string) => Promise<void>) {
    this.#finish = finish;
  }

  get pending(): Readable<Deletion | undefined> {
    return this.#pending;
  }

  /** Goes on with the deletion that a former page began. */
  restore(): void {
    const stored = readStored(KEY);
    if (isDeletion(stored)) this.#schedule(stored);
  }

  async begin(id: string, title: string): Promise<void> {
    await this.finish();
    const deletion = { id, title, until: Date.now() + UNDO_MS };
    writeStored(KEY, deletion);
    this.#schedule(deletion);
  }

  undo(): void {
    clearTimeout(this.#timer);
    writeStored(KEY, undefined);
    this.#pending.set(undefined);
  }

  /** Deletes for good now. */
  async finish(): Promise<void> {
    const deletion = this.#pending.get();
    if (!deletion) return;
    clearTimeout(this.#timer);
    const stored = readStored(KEY);
    // Another tab may have undone it.
    if (isDeletion(stored) && stored.id === deletion.id) await this.#finish(deletion.id);
    if (this.#pending.get()?.id === deletion.id) this.undo();
  }

  #schedule(deletion: Deletion): void {
    this.#pending.set(deletion);
    const left = Math.min(UNDO_MS, Math.max(0, deletion.until - Date.now()));
    this.#timer = setTimeout(() => void this.finish(), left);
  }
}

function isDeletion(value: unknown): value is Deletion {
  return (
    typeof value === "object" &&
    value !== null &&
    "id" in value &&
    typeof value.id === "string" &&
    "title" in value &&
    typeof value.title === "string" &&
    "until" in value &&
    typeof value.until === "number"
  );
}
