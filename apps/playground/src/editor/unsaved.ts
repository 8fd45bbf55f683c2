import { createCell, type Readable } from "@robota/react/store";

/** A person's text that is not saved, and the file's text that it began from. */
export interface Unsaved {
  base: string;
  text: string;
  /** The file's text before the last save (`null`: no file), while the page may not know yet that it was saved. */
  former?: string | null | undefined;
}

/** The unsaved texts of one set of files. They outlive the editor, until they are saved, given up, or the page goes. */
export class UnsavedTexts {
  readonly #byPath = createCell<ReadonlyMap<string, Unsaved>>(new Map());

  get byPath(): Readable<ReadonlyMap<string, Unsaved>> {
    return this.#byPath;
  }

  keep(path: string, draft: Unsaved): void {
    if (!isUnsaved(draft) && draft.former === undefined) return this.drop(path);
    this.#byPath.set(new Map(this.#byPath.get()).set(path, draft));
  }

  /** Notes that a text was saved over `former`; more may have been typed since. */
  noteSaved(path: string, saved: string, former: string | undefined): void {
    const latest = this.#byPath.get().get(path);
    if (latest) this.keep(path, { base: saved, text: latest.text, former: former ?? null });
  }

  /** Notes the file's present text, as the page has read it. */
  noteDisk(path: string, disk: string | undefined): void {
    const draft = this.#byPath.get().get(path);
    if (draft?.former === undefined || (disk ?? null) === draft.former) return;
    this.keep(path, { base: draft.base, text: draft.text });
  }

  drop(path: string): void {
    if (!this.#byPath.get().has(path)) return;
    const next = new Map(this.#byPath.get());
    next.delete(path);
    this.#byPath.set(next);
  }
}

const bySet = new Map<string, UnsavedTexts>();

/** The unsaved texts of a set of files: the workspace's, or those that a session has for itself. */
export function unsavedIn(files: string): UnsavedTexts {
  const known = bySet.get(files);
  if (known) return known;
  const texts = new UnsavedTexts();
  bySet.set(files, texts);
  return texts;
}

/** The unsaved texts of all sets. */
export function allUnsaved(): Iterable<UnsavedTexts> {
  return bySet.values();
}

/** True while there is something to save. */
export function isUnsaved(draft: Unsaved | undefined): boolean {
  return draft !== undefined && draft.text !== draft.base;
}

/** The state of an unsaved text, given the file's present one. */
export type Standing = "clean" | "unsaved" | "conflict";

/** @param disk the file's present text, or `undefined` when it is gone */
export function standingOf(draft: Unsaved | undefined, disk: string | undefined): Standing {
  if (!draft || draft.text === disk) return "clean";
  if (draft.former !== undefined) return isUnsaved(draft) ? "unsaved" : "clean";
  return disk === draft.base ? "unsaved" : "conflict";
}

if (typeof addEventListener === "function") {
  addEventListener("beforeunload", (event) => {
    const all = [...bySet.values()].flatMap(({ byPath }) => [...byPath.get().values()]);
    if (all.some(isUnsaved)) event.preventDefault();
  });
}
