import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { Session } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Reported, visitProblems, visitSession } from "../../support/session-visit.ts";
import { bundleWorker, startWorker } from "./worker-process.ts";

let directory: string;
let bundle: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "robota-session-processes-"));
  bundle = await bundleWorker(directory, "session-holder-worker.ts");
});
afterAll(() => rm(directory, { recursive: true, maxRetries: 5 }));

it("reports a session's owner to a second process, which can follow, fork and take over", async () => {
  const home = join(directory, "visited");
  const holder = startWorker(bundle, home);
  await holder.waitForLines(20);
  const platform = nodePlatform({ home });
  const visit = await visitSession(platform, directory);
  expect(await holder.ended).toBe(0);
  expect(holder.lines.at(-1)).toBe("refused FENCED");
  expect(visitProblems(visit, holder.lines.slice(0, -1) as Reported[])).toEqual([]);
  await platform.dispose();
});

it("opens a session at once when its owner's process is killed", async () => {
  const home = join(directory, "killed");
  const platform = nodePlatform({ home });
  const holder = startWorker(bundle, home);
  await holder.waitForLines(20);
  process.kill(holder.pid, "SIGKILL");
  // Nobody waits for its end.
  const provider = new ScriptedProvider([{ text: "Mine" }]);
  const session = new Session({ platform, sessionId: "s", provider, trackFiles: false });
  expect(await session.run("Whose?")).toBe("Mine");
  await session.shutdown();
  await platform.dispose();
});
