// The cost of a session's log on a disk, by its length. Writes its section of docs/evidence/benchmarks.md.
// CPU time of the main thread, because wall clock says little on a machine that others use.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { NodeStorage } from "@robota/adapters-node";
import { exportSession, listSessions, type Platform, replaySession } from "@robota/runtime";
import { memoryPlatform } from "@robota/shell/testing";
import { table, writeSection } from "./section.ts";
import { benchSession, runTurns } from "./session-subject.ts";

const LENGTHS = [10, 1_000, 10_000];
const ROUNDS = 5;
/** Turns that are measured behind a history of each length. */
const TURNS = 60;
const ID = "bench";
/** Records that are moved to the disk at once; a reader has a batch in memory as a whole. */
const BATCH = 1_000;

/** Milliseconds of CPU of this thread. */
async function cost(work: () => Promise<unknown>): Promise<number> {
  const begun = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / 1_000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

async function repeated(work: () => Promise<unknown>): Promise<number> {
  const samples: number[] = [];
  for (let round = 0; round < ROUNDS; round++) samples.push(await cost(work));
  return median(samples);
}

function on(storage: NodeStorage): Platform {
  return { ...memoryPlatform(), storage };
}

async function measure(length: number): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), "robota-session-cost-"));
  const log = join(directory, "sessions", `${ID}.jsonl`);
  const size = (): number => statSync(log).size;
  try {
    // Written in memory, and moved to the disk in few batches: waiting for the disk in each turn would take an hour.
    const made = memoryPlatform();
    const first = benchSession(made, ID);
    await runTurns(first, length);
    await first.shutdown();
    const storage = new NodeStorage({ directory });
    const records: Uint8Array[] = [];
    for await (const { value } of made.storage.read(`sessions/${ID}`)) records.push(value);
    for (let start = 0; start < records.length; start += BATCH)
      await storage.append(`sessions/${ID}`, records.slice(start, start + BATCH));
    const snapshot = await made.storage.get(`snapshots/${ID}`);
    if (snapshot) await storage.set(`snapshots/${ID}`, snapshot);

    const load = await repeated(async () => {
      const session = benchSession(on(storage), ID);
      await session.open();
      await session.shutdown();
    });
    const loadAll = await repeated(async () => {
      const session = benchSession(on(storage), ID);
      await session.open();
      session.getFullHistory();
      await session.shutdown();
    });
    const lines = readFileSync(log, "utf8").trimEnd().split("\n");
    const parse = await repeated(async () => lines.map((line): unknown => JSON.parse(line)));
    const session = benchSession(on(storage), ID);
    await runTurns(session, 3);
    const before = size();
    const turn = (await cost(() => runTurns(session, TURNS))) / TURNS;
    const bytes = (size() - before) / TURNS;
    const list = await repeated(() => listSessions(storage));
    const exported = await cost(() => new Response(exportSession(storage, ID)).arrayBuffer());
    const fork = await cost(async () => (await session.fork()).shutdown());
    await session.shutdown();
    const replay = await cost(() => replaySession({ storage, sessionId: ID }, memoryPlatform()));
    await storage.dispose();
    const kept = join(directory, "snapshots", `${ID}.json`);
    const rounded = (milliseconds: number): string => Math.round(milliseconds).toLocaleString("en");
    return [
      length.toLocaleString("en"),
      `${(before / 1e6).toFixed(2)} MB`,
      rounded(existsSync(kept) ? statSync(kept).size : 0),
      rounded(bytes),
      turn.toFixed(2),
      rounded(load),
      rounded(loadAll),
      rounded(parse),
      list.toFixed(1),
      rounded(fork),
      rounded(exported),
      rounded(replay),
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const rows = [
  [
    "turns",
    "log",
    "snapshot, bytes",
    "bytes a turn",
    "turn, ms",
    "load, ms",
    "load and show all, ms",
    "JSON.parse, ms",
    "list, ms",
    "fork, ms",
    "export, ms",
    "replay, ms",
  ],
];
for (const length of LENGTHS) rows.push(await measure(length));
const text = `## The cost of a session

A session on Node's storage whose model answers at once; every
third turn calls a tool. Milliseconds are CPU time of the main thread. \`bytes a turn\` and \`turn\` are of ${TURNS} turns behind
a history of that length; \`load\` opens the session from its snapshot (from a megabyte of log on) and the events after
it, \`load and show all\` also builds its whole history, \`JSON.parse\` only parses the log's lines, \`list\` lists the sessions,
\`fork\` copies it, \`export\` writes it as redacted lines, and \`replay\` runs all of it again.

${table(rows)}

Load, parse and list are medians of ${ROUNDS} rounds. Node ${process.version}, ${cpus()[0]?.model.trim() ?? "unknown CPU"}, ${cpus().length} cores, which other work shares.
`;
console.log(text);
writeSection("sessions", text);
