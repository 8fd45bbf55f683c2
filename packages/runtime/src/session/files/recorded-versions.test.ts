import { expect, it } from "vitest";
import type { FileBefore } from "./past-version.ts";
import { RecordedVersions } from "./recorded-versions.ts";

const FILES = 3;

interface Counted {
  versions: RecordedVersions;
  /** Versions that were looked at so far. */
  looks: () => number;
}

/** A session whose every turn changes the same files. */
function changedIn(turns: number): Counted {
  let looks = 0;
  const versionOf = (path: string, target: string): FileBefore => ({
    get path() {
      looks += 1;
      return path;
    },
    before: { type: "symlink", target },
  });
  const versions = new RecordedVersions();
  for (let turn = 1; turn <= turns; turn++) {
    versions.begin({ id: `turn-${turn}`, seq: turn * 10 });
    for (let file = 0; file < FILES; file++)
      versions.add(turn * 10 + 1 + file, versionOf(`/w/${file}`, `before ${turn}`));
    versions.end(`turn-${turn}`, turn * 10 + 9);
  }
  return { versions, looks: () => looks };
}

type Question = (versions: RecordedVersions, turns: number) => unknown;

/** Versions that a question about a session of so many turns looks at. */
function costOf(ask: Question, turns: number): number {
  const { versions, looks } = changedIn(turns);
  const before = looks();
  expect(ask(versions, turns)).toHaveLength(FILES);
  return looks() - before;
}

it.each<[string, Question]>([
  ["the first turn's changes", (versions) => versions.changesIn("turn-1")],
  ["the last turn's changes", (versions, turns) => versions.changesIn(`turn-${turns}`)],
  ["the session's changes", (versions) => versions.filesAfter(0)],
  ["the changes since a turn began", (versions, turns) => versions.filesAfter(turns * 10)],
])("looks at as many versions in a long log as in a short one for %s", (_, ask) => {
  expect(costOf(ask, 1_000)).toBe(costOf(ask, 10));
});

it("knows the same after it was saved", () => {
  const { versions } = changedIn(3);
  versions.begin({ id: "open", seq: 40 });
  versions.add(41, { path: "/w/0", before: null });
  const restored = new RecordedVersions();
  restored.restore(JSON.parse(JSON.stringify(versions.save())));
  for (const id of ["turn-1", "turn-3", "open", "unknown"])
    expect(restored.changesIn(id)).toEqual(versions.changesIn(id));
  expect(restored.filesAfter(0)).toEqual(versions.filesAfter(0));
  expect(restored.changesIn("turn-3")?.[0]?.after).toEqual({ path: "/w/0", before: null });
});
