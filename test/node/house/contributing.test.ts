import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
const runtime = join(root, "packages/runtime/src");
const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
/** Rooms with rooms of their own inside. */
const SUITES = ["session", "permissions", "tools"];

function folders(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

/** The folders that have a row, which begins with their path. */
function rows(): string[] {
  return [...page.matchAll(/^\| `([^`]+)`\s*\|/gm)].map(([, path = ""]) => path);
}

it("names only paths that exist", () => {
  const paths = [...page.matchAll(/`([\w./*…-]+)`/g)]
    .map(([, path = ""]) => path)
    .filter((path) => /^[\w-]+\/|\.(?:ts|tsx|json|txt|md)$/.test(path))
    .filter((path) => !path.includes("…"));
  expect(paths.length).toBeGreaterThan(80);
  const missing = paths.filter((path) =>
    [root, runtime].every((cwd) => globSync(path, { cwd }).length === 0),
  );
  expect(missing).toEqual([]);
});

it("has a row for every room of the runtime", () => {
  const rooms = folders(runtime).flatMap((room) => [
    room,
    ...(SUITES.includes(room)
      ? folders(join(runtime, room)).map((inner) => `${room}/${inner}`)
      : []),
  ]);
  expect(rooms.filter((room) => !rows().includes(room))).toEqual([]);
});

it("has a row for every package and app", () => {
  const others = ["packages", "apps"].flatMap((parent) =>
    folders(join(root, parent)).map((name) => `${parent}/${name}`),
  );
  expect(others.filter((path) => path !== "packages/runtime" && !rows().includes(path))).toEqual(
    [],
  );
});
