import { createCell } from "@robota/react/store";

/** A person's text that is not saved, and the file's text that it began from. */
export interface Unsaved {
  base: string;
  text: string;
}

/** The unsaved texts by path. They outlive the editor, until they are saved, given up, or the page goes. */
export const unsaved = createCell<ReadonlyMap<string, Unsaved>>(new Map());

export function keepUnsaved(path: string, draft: Unsaved): void {
  if (draft.text === draft.base) return dropUnsaved(path);
  unsaved.set(new Map(unsaved.get()).set(path, draft));
}

export function dropUnsaved(path: string): void {
  if (!unsaved.get().has(path)) return;
  const next = new Map(unsaved.get());
  next.delete(path);
  unsaved.set(next);
}

/** What the file's present text means for an unsaved one. */
export type Standing = "clean" | "unsaved" | "conflict";

/** @param disk the file's present text, or `undefined` when it is gone */
export function standingOf(draft: Unsaved | undefined, disk: string | undefined): Standing {
  if (!draft || draft.text === disk) return "clean";
  return disk === draft.base ? "unsaved" : "conflict";
}

if (typeof addEventListener === "function") {
  addEventListener("beforeunload", (event) => {
    if (unsaved.get().size > 0) event.preventDefault();
  });
}
