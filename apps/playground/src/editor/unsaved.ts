import { createCell } from "@robota/react/store";

/** A person's text that is not saved, and the file's text that it began from. */
export interface Unsaved {
  base: string;
  text: string;
  /** The file's text before the last save (`null`: no file), while the page may not know yet that it was saved. */
  former?: string | null | undefined;
}

/** The unsaved texts by path. They outlive the editor, until they are saved, given up, or the page goes. */
export const unsaved = createCell<ReadonlyMap<string, Unsaved>>(new Map());

export function keepUnsaved(path: string, draft: Unsaved): void {
  if (!isUnsaved(draft) && draft.former === undefined) return dropUnsaved(path);
  unsaved.set(new Map(unsaved.get()).set(path, draft));
}

/** True while there is something to save. */
export function isUnsaved(draft: Unsaved | undefined): boolean {
  return draft !== undefined && draft.text !== draft.base;
}

/** Notes that a text was saved over `former`; more may have been typed since. */
export function noteSaved(path: string, saved: string, former: string | undefined): void {
  const latest = unsaved.get().get(path);
  if (latest) keepUnsaved(path, { base: saved, text: latest.text, former: former ?? null });
}

/** Notes the file's present text, as the page has read it. */
export function noteDisk(path: string, disk: string | undefined): void {
  const draft = unsaved.get().get(path);
  if (draft?.former === undefined || (disk ?? null) === draft.former) return;
  keepUnsaved(path, { base: draft.base, text: draft.text });
}

export function dropUnsaved(path: string): void {
  if (!unsaved.get().has(path)) return;
  const next = new Map(unsaved.get());
  next.delete(path);
  unsaved.set(next);
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
    if ([...unsaved.get().values()].some(isUnsaved)) event.preventDefault();
  });
}
