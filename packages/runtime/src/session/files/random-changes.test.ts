import { MemoryFileSystem, MemoryStorage } from "@robota/runtime/virtual";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import {
  type Operation,
  outcome,
  plainPath,
  randomOperation,
  withoutTimes,
} from "../../../../../test/support/random-operations.ts";
import { treeOf } from "../../../../../test/support/tree-of.ts";
import { encodeEvents } from "../log/encode-events.ts";
import { SESSION_FORMAT, type SessionEventBody } from "../log/events.ts";
import { programNote } from "../log/notes.ts";
import { DurableOverlay } from "./durable-overlay.ts";
import { saveForkBase } from "./fork-base.ts";
import type { FileBefore } from "./past-version.ts";
import { Payloads } from "./payloads.ts";
import { restoreFiles } from "./restore.ts";
import { TrackedFileSystem } from "./tracked-file-system.ts";
import { keepContents } from "./versions.ts";
import { sessionKey } from "../store/storage-keys.ts";

const operation = randomOperation({
  path: fc.oneof(
    { weight: 5, arbitrary: plainPath },
    plainPath.map((path) => `${path}/`),
  ),
  // "1" to "3" are there from the start, so that some writes repeat the old content.
  text: fc.constantFrom("", "x", "1", "2", "3", "longer text"),
  target: fc.oneof(plainPath, fc.constantFrom("a", "../b", "nowhere", "c/a")),
  mode: fc.constantFrom(0o600, 0o644, 0o755),
  time: fc.constantFrom(0, 1000),
});
const before = fc.array(operation, { maxLength: 10 });
/** Operations of the session, or of its fork. */
const steps = fc.array(fc.tuple(fc.constantFrom("original", "fork"), operation), { maxLength: 20 });

const SESSION = "original";
const FORK = "fork";

async function filled(operations: readonly Operation[]): Promise<MemoryFileSystem> {
  const fs = new MemoryFileSystem({
    files: { "/a/a": "1", "/a/b/c": "2", "/b": "3", "/c/": "" },
    now: () => 5000,
  });
  for (const each of operations) await outcome(each, fs);
  return fs;
}

const lookOf = async (fs: MemoryFileSystem | DurableOverlay): Promise<Record<string, unknown>> =>
  withoutTimes(await treeOf(fs));

/** The files of a session that records their versions, with `known` as the recorded ones. */
async function followed(
  base: MemoryFileSystem,
  storage: MemoryStorage,
): Promise<{ fs: TrackedFileSystem; known: Map<string, FileBefore>; payloads: Payloads }> {
  const payloads = new Payloads(storage, SESSION, { payloads: undefined });
  const known = new Map<string, FileBefore>();
  let seq = 0;
  const commit = async (body: SessionEventBody): Promise<void> => {
    seq += 1;
    const event = { ...body, v: SESSION_FORMAT, sessionId: SESSION, seq, time: 1 } as const;
    await storage.append(
      sessionKey(SESSION),
      encodeEvents([event]).map(({ bytes }) => bytes),
    );
  };
  await commit(programNote("begun", null));
  const fs = new TrackedFileSystem(base, {
    has: (path) => known.has(path),
    async record(sightings) {
      const files = await keepContents(payloads, sightings);
      for (const file of files) known.set(file.path, file);
      await commit({ type: "files_before", files });
    },
  });
  return { fs, known, payloads };
}

it("restores exactly the former files by a rewind, after any changes of a session", () =>
  fc.assert(
    fc.asyncProperty(before, before, async (earlier, during) => {
      const base = await filled(earlier);
      const untouched = await lookOf(base);
      const { fs, known, payloads } = await followed(base, new MemoryStorage());
      for (const each of during) await outcome(each, fs);
      const { notRestored } = await restoreFiles(base, [...known.values()], payloads);
      expect(notRestored).toEqual([]);
      expect(await lookOf(base)).toEqual(untouched);
    }),
    { numRuns: 60 },
  ));

it("shows a fork its own changes and none of the original's, also after a reload", () =>
  fc.assert(
    fc.asyncProperty(before, steps, async (earlier, during) => {
      const [base, model, storage] = [
        await filled(earlier),
        await filled(earlier),
        new MemoryStorage(),
      ];
      const original = await followed(base, storage);
      await saveForkBase(storage, FORK, { sessionId: SESSION, records: 1 });
      let fork = await DurableOverlay.load(base, storage, FORK);
      for (const [who, each] of during) {
        if (who === "original") await outcome(each, original.fs);
        else expect(await outcome(each, fork)).toEqual(await outcome(each, model));
      }
      const expected = await lookOf(model);
      expect(await lookOf(fork)).toEqual(expected);
      fork = await DurableOverlay.load(base, storage, FORK);
      expect(await lookOf(fork)).toEqual(expected);
    }),
    { numRuns: 60 },
  ));
