import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { InteractiveSession, type SessionEvent } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleWorker, startWorker } from "./worker-process.ts";

const KILLS = Number(process.env["ROBOTA_KILLS"] ?? 8);

let directory: string;
let bundle: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "robota-session-death-"));
  await mkdir(join(directory, "workspace"));
  await writeFile(join(directory, "workspace/a.txt"), "at first\n");
  bundle = await bundleWorker(directory, "session-death-worker.ts");
}, 30_000);
afterAll(() => rm(directory, { recursive: true, maxRetries: 5 }));

/** What a life has told. */
interface Life {
  events: string[];
  /** By turn: what the file held before it. */
  before: Map<string, string>;
}

async function live(first: number): Promise<Life> {
  const worker = startWorker(bundle, directory, String(first));
  await worker.told(2 + Math.floor(Math.random() * 40));
  // Between two things that it tells, too.
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 15));
  await worker.kill();
  const life: Life = { events: [], before: new Map() };
  for (const line of worker.lines) {
    const [kind, what = "", ...rest] = line.split(" ");
    if (kind === "event") life.events.push(`${what} ${rest.join(" ")}`);
    else life.before.set(`turn ${what}`, JSON.parse(rest.join(" ")));
  }
  return life;
}

/** Opens what was left, and looks whether all of it is there; resolves to whether files had to be brought back. */
async function check({ events, before }: Life): Promise<boolean> {
  const platform = nodePlatform({ home: directory });
  const session = new InteractiveSession({
    platform,
    cwd: join(directory, "workspace"),
    sessionId: "s",
    provider: new ScriptedProvider([]),
  });
  await session.ready;
  expect(session.isExecuting()).toBe(false);
  const found = new Set<string>();
  const name = `looked at ${crypto.randomUUID()}`;
  await session.setName(name);
  for await (const event of session.events()) {
    found.add(nameOf(event));
    if (event.type === "name_change" && event.name === name) break;
  }
  for (const event of events) expect(found).toContain(event);
  expect(session.getFullHistory().filter(({ type }) => type === "log-damaged")).toEqual([]);
  const last = session.checkpoints().findLast(({ kind }) => kind === "turn");
  const expected = before.get(last?.input ?? "");
  if (last && expected !== undefined) {
    const { files } = await session.rewind(last.id, "files");
    expect(files.notRestored).toEqual([]);
    expect(await readFile(join(directory, "workspace/a.txt"), "utf8")).toBe(expected);
  }
  await session.shutdown();
  await platform.dispose();
  return last !== undefined && expected !== undefined;
}

function nameOf({ seq, type }: SessionEvent): string {
  return `${seq} ${type}`;
}

it(
  `loses nothing of whole turns with tools over ${KILLS} kills, and brings files back after each`,
  { timeout: 60_000 + KILLS * 5_000 },
  async () => {
    let acknowledged = 0;
    let rewound = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const life = await live(kill * 1_000);
      acknowledged += life.events.length;
      if (await check(life)) rewound += 1;
    }
    console.info(
      `${KILLS} kills, ${acknowledged} events shown, none lost; files back ${rewound} times`,
    );
    expect(acknowledged).toBeGreaterThan(KILLS * 5);
    expect(rewound).toBeGreaterThan(KILLS / 2);
  },
);
