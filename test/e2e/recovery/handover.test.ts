import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { InteractiveSession, type Platform } from "@robota/runtime";
import { OpenAIProvider } from "@robota/runtime/providers/openai";
import { moveToServer, RemoteSession } from "@robota/runtime/transports";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startWorkerd, type Workerd } from "../workerd.ts";
import { EPHEMERAL, EventReader, type SeenEvent } from "./event-reader.ts";
import {
  type Asked,
  type Reply,
  type ScriptedService,
  scriptedService,
} from "./scripted-service.ts";

let workerd: Workerd;
let service: ScriptedService;
let home: string;

/** Each turn writes two lines, one after the other, and answers at length. */
function script({ prompt, results }: Asked): Reply {
  if (results.length >= 2)
    return { words: Array.from({ length: 40 }, (_, word) => `${prompt}-${word} `) };
  const command = `echo ${prompt}/${results.length} >> effects.txt; cat effects.txt`;
  return { calls: [{ name: "Bash", args: { command } }] };
}

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "robota-handover-")));
  service = await scriptedService(script, { delayMs: 15 });
  workerd = await startWorkerd({
    entry: "apps/edge-worker/src/worker.ts",
    objects: { SESSIONS: "SessionObject", DIRECTORIES: "SessionDirectory" },
    reachesLoopback: true,
    variables: {
      API_TOKEN: "secret",
      WATCHDOG_SECONDS: "0.3",
      OPENAI_API_KEY: "unused",
      OPENAI_MODEL: "scripted-1",
      OPENAI_BASE_URL: service.url,
    },
  });
});
afterAll(async () => {
  await workerd[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});

const open = (
  platform: Platform,
): { platform: Platform; provider: OpenAIProvider; cwd: string } => ({
  platform,
  cwd: join(home, "workspace"),
  provider: new OpenAIProvider({
    apiKey: "unused",
    model: "scripted-1",
    api: "chat",
    baseURL: service.url,
  }),
});

it("goes on from Node in a real worker that is killed, and back, with a turn, a prompt and a request", async () => {
  const platform = nodePlatform({ home });
  await platform.fs.mkdir(join(home, "workspace"), { recursive: true });
  const here = new InteractiveSession({ ...open(platform), queueLimit: 3 });
  const stored: SeenEvent[] = [];
  here.on("event", (event) => {
    if (!EPHEMERAL.has(event.type))
      stored.push({ id: event.seq, type: event.type, data: { ...event } });
  });
  for (const text of ["one", "two"]) here.submit(text).catch(() => undefined);
  await expect.poll(() => here.pendingPermissions()).toHaveLength(1);
  await here.resolvePermission(here.pendingPermissions()[0]?.id ?? "", { allow: true });
  await expect
    .poll(() => here.pendingPermissions()[0]?.args)
    .toMatchObject({
      command: expect.stringContaining("one/1"),
    });
  await expect.poll(() => here.getQueue()).toEqual(["two"]);

  // To the worker, where the open request is answered, after a kill.
  const server = { url: workerd.url, token: "secret" };
  const { sessionId } = await moveToServer(here, server);
  await here.shutdown();
  await workerd.kill();
  await workerd.start();
  const call = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${workerd.url}/v1/sessions/${sessionId}${path}`, {
      ...init,
      headers: { authorization: "Bearer secret" },
    });
  await using reader = new EventReader((last, signal) => call(`/events?after=${last}`, { signal }));
  reader.seen.push(...stored);
  reader.start();
  const remote = new RemoteSession({ ...server, url: workerd.url, sessionId });
  await remote.ready;
  const [request] = remote.pendingPermissions();
  expect(request?.args).toMatchObject({ command: expect.stringContaining("one/1") });
  await remote.resolvePermission(request?.id ?? "", { allow: true });
  // In the middle of its answer.
  await expect.poll(() => remote.getStreamingText()).toContain("one-5 ");

  // Back, with the answer cut and the next prompt waiting.
  const back = { sessionId: "back-in-node" };
  await remote.handOver({ to: back });
  await expect.poll(() => reader.seen.at(-1)?.data["kind"]).toBe("handed-over");
  await reader.stop();
  const session = await InteractiveSession.import(platform, await remote.export({ grants: true }), {
    ...open(platform),
    ...back,
    files: "workspace",
    trusted: true,
    onInterruptedTurn: "continue",
    permissionHandler: () => Promise.resolve(true),
  });
  await remote.shutdown();
  await expect.poll(() => session.isExecuting()).toBe(false);
  expect(await readFile(join(home, "workspace/effects.txt"), "utf8")).toBe(
    "one/0\none/1\ntwo/0\ntwo/1\n",
  );
  const events: SeenEvent[] = [];
  for await (const event of session.events()) {
    events.push({ id: event.seq, type: event.type, data: { ...event } });
    if (event.seq >= session.lastSeq) break;
  }
  // The client saw the beginning of the final log, here and there.
  const seen = reader.seen.filter(({ type }) => !EPHEMERAL.has(type));
  expect(seen.map(({ id, type }) => [id, type])).toEqual(
    events.slice(0, seen.length).map(({ id, type }) => [id, type]),
  );
  const of = (type: string): unknown[] => events.filter((event) => event.type === type);
  expect(of("turn_start")).toHaveLength(2);
  expect(of("turn_end")).toMatchObject([
    { data: { state: "complete" } },
    { data: { state: "complete" } },
  ]);
  // The object of the session that left rings no more.
  expect(await (await call("")).json()).toMatchObject({ state: "idle", handedOverTo: back });
  await session.shutdown();
  await platform.dispose();
});
