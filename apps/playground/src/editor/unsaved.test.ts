import { expect, it } from "vitest";
import { dropUnsaved, keepUnsaved, standingOf, unsaved } from "./unsaved.ts";

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
