import { afterAll, beforeAll, expect, it } from "vitest";
import { EPHEMERAL, EventReader, type SeenEvent } from "./event-reader.ts";
import {
  type Asked,
  type Reply,
  type ScriptedService,
  scriptedService,
} from "./scripted-service.ts";
import { startWorkerd, type Workerd } from "../workerd.ts";

const KILLS = Number(process.env["ROBOTA_KILLS"] ?? 20);
const ID = "survivor";
const PATH = `/v1/sessions/${ID}`;
/** Numbers of the unsafe calls of a turn. */
const ACTS = [0, 1, 2];

let workerd: Workerd;
let service: ScriptedService;

/** Each turn reads and writes in three rounds, and then answers. */
function script({ prompt, results }: Asked): Reply {
  if (prompt === "show") {
    const [shown] = results;
    const read = { name: "Bash", args: { command: "cat effects.txt" } };
    return shown === undefined ? { calls: [read] } : { words: ["Shown."] };
  }
  const round = Math.ceil(results.length / 2);
  if (round >= ACTS.length) return { words: ["All ", "of ", prompt, " is ", "done."] };
  return {
    calls: [
      { name: "Read", args: { filePath: "README.md" } },
      { name: "Bash", args: { command: `echo ${prompt}/${round} >> effects.txt` } },
    ],
  };
}

beforeAll(async () => {
  service = await scriptedService(script, { delayMs: 15 });
  workerd = await startWorkerd({
    entry: "test/workerd/turns-go-on-worker.ts",
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
});

function call(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${workerd.url}${path}`, { ...init, headers: { authorization: "Bearer secret" } });
}

async function begin(text: string): Promise<void> {
  const taken = await call(`${PATH}/messages`, { method: "POST", body: JSON.stringify({ text }) });
  expect([taken.status, await taken.json()]).toMatchObject([202, { queued: false }]);
}

/** The state in the owner's list, which another object keeps: asking for it wakes no session. */
async function listed(): Promise<string | undefined> {
  const { sessions } = (await (await call("/v1/sessions")).json()) as {
    sessions: { id: string; state: string }[];
  };
  return sessions.find(({ id }) => id === ID)?.state;
}

async function until(isFine: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await isFine())) {
    if (performance.now() > deadline)
      throw new Error(
        `${what} does not come: ${[...service.finished.keys()].at(-1)}, ${await listed()}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** All events of the session up to now. */
async function allEvents(): Promise<SeenEvent[]> {
  const reader = new EventReader((_last, signal) => call(`${PATH}/events`, { signal }));
  reader.start();
  const { seq } = (await (await call(PATH)).json()) as { seq: number };
  await until(() => reader.lastId >= seq, "the last event");
  await reader.stop();
  return reader.seen.filter(({ type }) => !EPHEMERAL.has(type));
}

it(
  `completes every turn without a request over ${KILLS} kills in the middle of one, with no effect twice`,
  { timeout: 60_000 + KILLS * 10_000 },
  async () => {
    expect((await call(`/unattended/${ID}`, { method: "PUT" })).status).toBe(201);
    await using reader = new EventReader((lastId, signal) =>
      call(`${PATH}/events?after=${lastId}`, { signal }),
    );
    let kills = 0;
    let turns = 0;
    const recoveries: number[] = [];
    while (kills < KILLS) {
      const prompt = `turn-${turns}`;
      // Nobody follows every second turn: only the alarm can wake its session.
      if (turns % 2 === 0) reader.start();
      else await reader.stop();
      turns += 1;
      await begin(prompt);
      const cuts = Math.min(KILLS - kills, 1 + Math.floor(Math.random() * 2));
      for (let cut = 0; cut < cuts; cut++) {
        // Counted in requests, since the same turn takes ten times as long on a busy machine.
        const asked = service.requests.length + Math.floor(Math.random() * 3);
        await until(
          () => service.requests.length >= asked || service.finished.has(prompt),
          `request ${asked} of ${prompt}`,
        );
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 100));
        await workerd.kill();
        kills += 1;
        await workerd.start();
      }
      const from = performance.now();
      await until(
        async () => service.finished.has(prompt) && (await listed()) === "idle",
        `the end of ${prompt}`,
      );
      recoveries.push(performance.now() - from);
    }
    reader.start();
    await begin("show");
    await until(
      async () => service.finished.has("show") && (await listed()) === "idle",
      "the end of the last turn",
    );
    await check({ turns, kills, recoveries, reader });
    // A session at rest costs nothing: its alarm would wake it again and again.
    await until(
      async () => (await (await call(`/unattended/${ID}`)).json()) === null,
      "the end of the alarms",
    );
  },
);

async function check({
  turns,
  kills,
  recoveries,
  reader,
}: {
  turns: number;
  kills: number;
  recoveries: number[];
  reader: EventReader;
}): Promise<void> {
  const events = await allEvents();
  const of = (type: string): SeenEvent["data"][] =>
    events.flatMap((event) => (event.type === type ? [event.data] : []));
  expect(of("turn_start").map(({ input }) => input)).toEqual([
    ...Array.from({ length: turns }, (_, turn) => `turn-${turn}`),
    "show",
  ]);
  expect(of("turn_end").map(({ state }) => state)).toEqual(
    Array.from({ length: turns + 1 }, () => "complete"),
  );

  // Unsafe calls: at most once each, and exactly once where the log says that they ran.
  const ends = of("tool_end") as {
    tool: string;
    toolCallId: string;
    message: { content: string; errorCode?: string };
  }[];
  const shown = ends.at(-1)?.message.content ?? "";
  const effects = shown.split("\n").filter((line) => line.startsWith("turn-"));
  expect(new Set(effects).size).toBe(effects.length);
  const starts = new Map(of("tool_start").map(({ toolCallId, args }) => [toolCallId, args]));
  let unknown = 0;
  for (const { tool, toolCallId, message } of ends) {
    if (tool === "Read") {
      expect(message.errorCode).toBeUndefined();
      continue;
    }
    const { command } = starts.get(toolCallId) as { command: string };
    const effect = /^echo (\S+) >>/.exec(command)?.[1];
    if (effect === undefined) continue;
    if (message.errorCode === "unknown_outcome") unknown += 1;
    else expect(effects).toContain(effect);
  }
  expect(ends).toHaveLength(turns * ACTS.length * 2 + 1);
  expect(new Set(ends.map(({ toolCallId }) => toolCallId)).size).toBe(ends.length);

  // The client that was cut off with each kill has seen every event once, and in order.
  await until(() => reader.lastId >= (events.at(-1)?.id ?? 0), "the client's last event");
  await reader.stop();
  const seen = reader.seen.filter(({ type }) => !EPHEMERAL.has(type));
  expect(seen.map(({ id }) => id)).toEqual(
    [...new Set(seen.map(({ id }) => id))].toSorted((a, b) => a - b),
  );
  const ids = new Set(seen.map(({ id }) => id));
  expect(events.filter(({ id }) => !ids.has(id))).toEqual([]);
  const stored = new Set(events.map(({ id }) => id));
  const voided = seen.filter(({ id }) => !stored.has(id));
  // Words of the last tenth of a second before a kill; their answer is asked for again.
  expect(voided.filter(({ type }) => type !== "text_delta")).toEqual([]);

  const resumed = of("turn_resume");
  expect(resumed.length).toBeGreaterThan(kills / 2);
  const [median = 0, worst = 0] = [0.5, 1].map(
    (share) => recoveries.toSorted((a, b) => a - b)[Math.ceil(recoveries.length * share) - 1],
  );
  console.info(
    `${kills} kills in ${turns} turns: ${resumed.length} went on, ${effects.length} effects once, ` +
      `${unknown} outcomes unknown, ${events.length} events, ${voided.length} words void; ` +
      `ended ${Math.round(median)} ms (median), ${Math.round(worst)} ms (at most) after the restart`,
  );
}
