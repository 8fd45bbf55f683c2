import { expect, it } from "vitest";
import { placeInSession, placeOnPage } from "./place.ts";

it("has a server's files where the page has its own, and those elsewhere where they are", () => {
  const session = { workspace: { cwd: "/home/ann/project" } };
  expect(placeOnPage(session, "/home/ann/project/src/a.ts")).toBe("/workspace/src/a.ts");
  expect(placeInSession(session, "/workspace/src/a.ts")).toBe("/home/ann/project/src/a.ts");
  expect(placeOnPage(session, "/home/ann/projects/a.ts")).toBe("/home/ann/projects/a.ts");
  const atRoot = { workspace: { cwd: "/" } };
  expect(placeOnPage(atRoot, "/a.ts")).toBe("/workspace/a.ts");
  expect(placeInSession(atRoot, "/workspace/a.ts")).toBe("/a.ts");
});
