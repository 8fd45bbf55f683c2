import { runInDurableObject } from "cloudflare:test";
import { edgePlatform } from "@robota/adapters-edge";
import { expect, it } from "vitest";
import { LIVED_THROUGH, liveThroughFullDisk } from "../support/recovery/full-disk.ts";
import { newObject } from "./inside-object.ts";

/**
 * Refuses what an object over its limit may not store, in SQLite itself and in workerd's words: a limit of so many bytes
 * instead of 10 GB.
 */
const LIMIT = `CREATE TRIGGER full BEFORE INSERT ON robota_logs
  WHEN (SELECT SUM(length(data)) FROM robota_logs) + length(NEW.data) > 400000
  BEGIN SELECT RAISE(ABORT, 'database or disk is full: SQLITE_FULL'); END`;

it("ends a turn beyond the object's limit with FULL, loses nothing, and goes on when there is room", async () => {
  await runInDurableObject(newObject(), async (_, state) => {
    const { sql } = state.storage;
    const cwd = "/workspace";
    const platform = edgePlatform(state);
    await platform.fs.mkdir(cwd, { recursive: true });
    sql.exec(LIMIT);
    const report = await liveThroughFullDisk({
      open: () => platform,
      cwd,
      makeRoom: () => sql.exec("DROP TRIGGER full"),
    });
    expect(report).toMatchObject({
      ...LIVED_THROUGH,
      failed: { state: "failed", code: "FULL", hint: expect.stringContaining("Make room") },
    });
    expect(report.completed).toBeGreaterThan(2);
  });
});
