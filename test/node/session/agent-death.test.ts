import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { contentText, InteractiveSession } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleWorker, startWorker } from "./worker-process.ts";

let directory: string;
let bundle: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "robota-agent-death-"));
  await mkdir(join(directory, "workspace"));
  bundle = await bundleWorker(directory, "agent-death-worker.ts");
});
afterAll(() => rm(directory, { recursive: true, maxRetries: 5 }));

it("loses no background agent when its process is killed", async () => {
  const worker = startWorker(bundle, directory);
  await worker.waitForLines(1);
  await worker.kill();
  await using platform = nodePlatform({ home: directory });
  const provider = new ScriptedProvider([{ text: "I see" }]);
  await using session = new InteractiveSession({ platform, provider, resumeSessionId: "s" });
  await session.ready;
  const agents = await (await session.agents()).list();
  expect(agents.map(({ prompt, state, response }) => [prompt, state, response])).toEqual([
    ["soon", "complete", "the report"],
    ["never", "interrupted", ""],
  ]);
  expect(agents[1]?.error?.message).toBe(
    "The agent was interrupted: the page or process that it ran in has ended.",
  );
  await session.submit("and now?");
  const notices = session
    .getMessages()
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => contentText(content).split("\n"));
  // The first may have ended within the turn that started it.
  for (const [index, outcome] of ["has finished", "was interrupted"].entries()) {
    const about = notices.filter((notice) => notice.includes(agents[index]?.id ?? "none"));
    expect(about).toEqual([expect.stringContaining(outcome)]);
  }
});
