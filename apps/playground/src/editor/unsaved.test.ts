import { expect, it } from "vitest";
import { dropUnsaved, unsavedPaths } from "./leave-page.ts";
import { standingOf, unsavedIn, UnsavedTexts } from "./unsaved.ts";

it("tells unsaved texts from those that the file has left behind", () => {
  expect(standingOf(undefined, "a")).toBe("clean");
  expect(standingOf({ base: "a", text: "mine" }, "a")).toBe("unsaved");
  expect(standingOf({ base: "a", text: "mine" }, "theirs")).toBe("conflict");
  expect(standingOf({ base: "a", text: "mine" }, undefined)).toBe("conflict");
  // Both wrote the same.
  expect(standingOf({ base: "a", text: "mine" }, "mine")).toBe("clean");
});

it("keeps texts until they are saved, or are as they were", () => {
  const unsaved = new UnsavedTexts();
  unsaved.keep("/a", { base: "a", text: "ab" });
  expect(unsaved.byPath.get().get("/a")).toEqual({ base: "a", text: "ab" });
  unsaved.keep("/a", { base: "a", text: "a" });
  expect(unsaved.byPath.get().size).toBe(0);
  unsaved.keep("/b", { base: "b", text: "c" });
  unsaved.drop("/b");
  expect(unsaved.byPath.get().size).toBe(0);
});

it("does not go back to the former text while the page has not read what was saved", () => {
  const unsaved = new UnsavedTexts();
  const draft = () => unsaved.byPath.get().get("/c");
  unsaved.keep("/c", { base: "old", text: "mine" });
  unsaved.noteSaved("/c", "mine", "old");
  expect(draft()).toMatchObject({ text: "mine" });
  expect(standingOf(draft(), "old")).toBe("clean");
  unsaved.keep("/c", { base: "mine", text: "mine, more", former: "old" });
  expect(standingOf(draft(), "old")).toBe("unsaved");
  unsaved.noteDisk("/c", "old");
  expect(draft()).toMatchObject({ former: "old" });
  unsaved.noteDisk("/c", "mine");
  expect(draft()).toEqual({ base: "mine", text: "mine, more" });
  expect(standingOf(draft(), "mine")).toBe("unsaved");
});

it("shows what somebody wrote right after a save, unless there is more to save", () => {
  const unsaved = new UnsavedTexts();
  unsaved.keep("/d", { base: "old", text: "mine" });
  unsaved.noteSaved("/d", "mine", "old");
  unsaved.noteDisk("/d", "theirs");
  expect(unsaved.byPath.get().has("/d")).toBe(false);
  unsaved.keep("/d", { base: "old", text: "mine, more" });
  unsaved.noteSaved("/d", "mine", undefined);
  unsaved.noteDisk("/d", "theirs");
  expect(standingOf(unsaved.byPath.get().get("/d"), "theirs")).toBe("conflict");
});

it("keeps the texts of each set of files apart", () => {
  unsavedIn("a fork").keep("/e", { base: "", text: "the fork's" });
  expect(unsavedIn("workspace").byPath.get().has("/e")).toBe(false);
  expect(unsavedIn("a fork").byPath.get().has("/e")).toBe(true);
  unsavedIn("a fork").drop("/e");
});

it("lists what is not saved, once for all sets, and gives it up", () => {
  unsavedIn("workspace").keep("/f", { base: "", text: "typed" });
  unsavedIn("a fork").keep("/f", { base: "", text: "typed there" });
  unsavedIn("a fork").keep("/g", { base: "old", text: "new", former: "older" });
  unsavedIn("a fork").keep("/h", { base: "saved", text: "saved", former: "older" });
  expect(unsavedPaths()).toEqual(["/f", "/g"]);
  dropUnsaved();
  expect(unsavedPaths()).toEqual([]);
  expect(unsavedIn("a fork").byPath.get().size).toBe(0);
});
