import { expect, it } from "vitest";
import { dropUnsaved, keepUnsaved, noteDisk, noteSaved, standingOf, unsaved } from "./unsaved.ts";

it("tells unsaved texts from those that the file has left behind", () => {
  expect(standingOf(undefined, "a")).toBe("clean");
  expect(standingOf({ base: "a", text: "mine" }, "a")).toBe("unsaved");
  expect(standingOf({ base: "a", text: "mine" }, "theirs")).toBe("conflict");
  expect(standingOf({ base: "a", text: "mine" }, undefined)).toBe("conflict");
  // Both wrote the same.
  expect(standingOf({ base: "a", text: "mine" }, "mine")).toBe("clean");
});

it("keeps texts until they are saved, or are as they were", () => {
  keepUnsaved("/a", { base: "a", text: "ab" });
  expect(unsaved.get().get("/a")).toEqual({ base: "a", text: "ab" });
  keepUnsaved("/a", { base: "a", text: "a" });
  expect(unsaved.get().size).toBe(0);
  keepUnsaved("/b", { base: "b", text: "c" });
  dropUnsaved("/b");
  expect(unsaved.get().size).toBe(0);
});

it("does not go back to the former text while the page has not read what was saved", () => {
  const draft = () => unsaved.get().get("/c");
  keepUnsaved("/c", { base: "old", text: "mine" });
  noteSaved("/c", "mine", "old");
  expect(draft()).toMatchObject({ text: "mine" });
  expect(standingOf(draft(), "old")).toBe("clean");
  keepUnsaved("/c", { base: "mine", text: "mine, more", former: "old" });
  expect(standingOf(draft(), "old")).toBe("unsaved");
  noteDisk("/c", "old");
  expect(draft()).toMatchObject({ former: "old" });
  noteDisk("/c", "mine");
  expect(draft()).toEqual({ base: "mine", text: "mine, more" });
  expect(standingOf(draft(), "mine")).toBe("unsaved");
  dropUnsaved("/c");
});

it("shows what somebody wrote right after a save, unless there is more to save", () => {
  keepUnsaved("/d", { base: "old", text: "mine" });
  noteSaved("/d", "mine", "old");
  noteDisk("/d", "theirs");
  expect(unsaved.get().has("/d")).toBe(false);
  keepUnsaved("/d", { base: "old", text: "mine, more" });
  noteSaved("/d", "mine", undefined);
  noteDisk("/d", "theirs");
  expect(standingOf(unsaved.get().get("/d"), "theirs")).toBe("conflict");
  dropUnsaved("/d");
});
