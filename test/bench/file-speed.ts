// The cost of files through the port, next to the bare store of each host: a disk, the browser's stores, a Durable Object's
// SQLite. Writes a section of docs/evidence/benchmarks.md for each: `node --conditions=@robota/source test/bench/file-speed.ts`; with
// `node`, `browser` or `workerd` behind it, of that host only.
import {
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  unlink,
  writeFile,
} from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { NodeFileSystem } from "@robota/adapters-node";
import { MemoryFileSystem, OverlayFileSystem } from "@robota/runtime/virtual";
import type { Page } from "playwright";
import { startChromium } from "../e2e/chromium.ts";
import { servePage } from "../e2e/page-server.ts";
import { startWorkerd } from "../e2e/workerd.ts";
import type {} from "./files/page.ts";
import {
  type Backend,
  compare,
  overlayBackend,
  overlayOver,
  portBackend,
  ROUND,
  type Times,
} from "./files/work.ts";
import { quantile } from "./peers/statistics.ts";
import { table, writeSection } from "./section.ts";

const REPOSITORY = join(import.meta.dirname, "../..");
/** Rounds of a thousand files each: fewer where a store takes seconds for one. */
const MANY = 10;
const FEW = 3;
const FEWEST = 1;

interface Goal {
  what: string;
  measured: string;
  goal: string;
  isMet: boolean;
}

/** Medians of the rounds; a ratio is taken within a round. */
function rows(host: string, times: Times): string[][] {
  return Object.entries(times).map(([step, took]) => {
    const [ours = [], ...others] = Object.values(took);
    const names = Object.keys(took).slice(1);
    const cells = others.map((other, at) => {
      const ratio = quantile(ratios(ours, other), 0.5);
      return `${names[at]}: ${quantile(other, 0.5).toFixed(0)} (${ratio.toFixed(2)})`;
    });
    return [host, step, quantile(ours, 0.5).toFixed(1), cells.join(", ")];
  });
}

function ratios(ours: readonly number[], other: readonly number[]): number[] {
  return ours.map((value, round) => value / (other[round] ?? Number.NaN));
}

function ratioGoal(
  what: string,
  times: Times,
  [step, other, limit]: [string, string, number],
): Goal {
  const took = times[step] ?? {};
  const ratio = quantile(ratios(Object.values(took)[0] ?? [], took[other] ?? []), 0.5);
  return { what, measured: ratio.toFixed(2), goal: `≤ ${limit}`, isMet: ratio <= limit };
}

function timeGoal(what: string, times: readonly number[], limit: number): Goal {
  const best = Math.min(...times);
  const measured = `${best.toFixed(0)} ms (${times.map((time) => time.toFixed(0)).join(", ")})`;
  return { what, measured, goal: `≤ ${limit} ms`, isMet: best <= limit };
}

interface Measured {
  title: string;
  tables: string[][];
  goals: Goal[];
}

/** Reads of an overlay that fall through, against those of what is below it. */
function readGoals(host: string, times: Times, other: string): Goal[] {
  return ["read", "stat", "list"].map((step) =>
    ratioGoal(`${host}: an overlay's ${step} ÷ ${other}`, times, [step, other, 1.2]),
  );
}

async function onNode(): Promise<Measured> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "robota-files-")));
  try {
    const fs = new NodeFileSystem();
    const files = await compare(
      [portBackend("port", fs, `${root}/port`), synced(`${root}/synced`), unsynced(`${root}/bare`)],
      FEWEST,
      { files: 100 },
    );
    const disk = await compare(
      [
        overlayBackend(new OverlayFileSystem(fs), fs, `${root}/over`),
        portBackend("NodeFileSystem", fs, `${root}/base`),
      ],
      FEW,
      { files: 100 },
    );
    const changedDisk = await compare(
      [
        await overlayOver(fs, `${root}/over-changed`),
        portBackend("NodeFileSystem", fs, `${root}/base-changed`),
      ],
      FEW,
      { files: 100 },
    );
    const memory = await overMemory();
    return {
      title: "Node",
      tables: [
        ...rows("Node: a disk", files),
        ...onlyReads("Node: an overlay over a disk", disk),
        ...onlyReads("Node: the same with a change elsewhere", changedDisk),
        ...onlyReads("Node: an overlay over memory", memory),
      ],
      goals: [
        ...readGoals("Node", memory, "MemoryFileSystem"),
        ...readGoals("Node", disk, "NodeFileSystem"),
        ...readGoals("Node, with a change elsewhere", changedDisk, "NodeFileSystem"),
      ],
    };
  } finally {
    await rm(root, { recursive: true });
  }
}

async function overMemory(): Promise<Times> {
  const [below, bare] = [new MemoryFileSystem(), new MemoryFileSystem()];
  const backends = [await overlayOver(below), portBackend("MemoryFileSystem", bare)];
  return compare(backends, MANY, { isQuick: true });
}

function onlyReads(host: string, times: Times): string[][] {
  const { read = {}, stat: looks = {}, list = {} } = times;
  return rows(host, { read, stat: looks, list });
}

/** `node:fs`, with nothing that makes a file durable. */
function unsynced(root: string): Backend {
  return {
    name: "node:fs",
    prepare: (directories) =>
      Promise.all(directories.map((path) => mkdir(root + path, { recursive: true }))),
    write: (path, bytes) => writeFile(root + path, bytes),
    read: (path) => readFile(root + path),
    stat: (path) => stat(root + path),
    list: (directory) => readdir(root + directory, { withFileTypes: true }),
    remove: (path) => unlink(root + path),
  };
}

/** The least that makes a file's bytes durable, though not its name, nor the whole of it or nothing. */
function synced(root: string): Backend {
  return {
    ...unsynced(root),
    name: "node:fs with fsync",
    async write(path, bytes) {
      const handle = await open(root + path, "w");
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
    },
  };
}

const PAGE = `import * as keyval from "idb-keyval";
import LightningFS from "@isomorphic-git/lightning-fs";
import { start } from "${REPOSITORY}/test/bench/files/page.ts";
start({ keyval, LightningFS });`;

async function inChromium(): Promise<Measured> {
  await using chromium = await startChromium();
  const from = join(REPOSITORY, "packages/adapters-web");
  await using server = await servePage({ code: PAGE, from }, () => {});
  const page = await chromium.context.newPage();
  page.setDefaultTimeout(600_000);
  await page.goto(server.url);
  await page.waitForFunction(() => "bench" in globalThis);
  return await measurePage(page);
}

async function measurePage(page: Page): Promise<Measured> {
  const files = await page.evaluate((rounds) => bench.files(rounds), FEW);
  const others = await page.evaluate((rounds) => bench.others(rounds), FEWEST);
  const overlay = await page.evaluate((rounds) => bench.overlay(rounds), MANY);
  const opening = await page.evaluate(() => bench.open(10_000));
  const sed = await page.evaluate(() => bench.command("sed 's/quick/slow/g' /big > /small"));
  return {
    title: "Chromium",
    tables: [
      ...rows("Chromium", files),
      ...rows("Chromium, fewer files", others),
      ...onlyReads("Chromium: an overlay over memory", overlay),
    ],
    goals: [
      ratioGoal("Chromium: sequential durable writes of 1 KB ÷ idb-keyval", files, [
        "write",
        "idb-keyval",
        0.9,
      ]),
      ...readGoals("Chromium", overlay, "MemoryFileSystem"),
      timeGoal("Chromium: opening a workspace of 10,000 files", opening, 100),
      timeGoal("Chromium: `sed` over 2.3 MB, in the shell's worker", sed.worker, 1_000),
      timeGoal("Chromium: `sed` over 2.3 MB, in the page", sed.page, 1_000),
    ],
  };
}

async function inWorkerd(): Promise<Measured> {
  await using workerd = await startWorkerd({
    entry: join(REPOSITORY, "test/workerd/file-speed-worker.ts"),
    objects: { STORE: "Store" },
  });
  const measure = async (what: string, rounds = FEWEST): Promise<Times> => {
    const response = await fetch(`${workerd.url}/${what}?rounds=${rounds}`);
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Times;
  };
  const files = await measure("files");
  const overlay = await measure("overlay", FEW);
  const memory = await measure("memory", MANY);
  const turns: Record<string, number[]> = {};
  for (let round = 0; round < FEW; round++) {
    for (const took of Object.values(await measure("turn"))) {
      for (const [name, times] of Object.entries(took)) (turns[name] ??= []).push(...times);
    }
  }
  return {
    title: "workerd",
    tables: [
      ...rows("workerd: a Durable Object", files),
      ...rows("workerd: a Durable Object", { "10,000 files in one turn": turns }),
      ...onlyReads("workerd: an overlay over it", overlay),
      ...onlyReads("workerd: an overlay over memory", memory),
    ],
    goals: [
      timeGoal("workerd: 10,000 files of 1 KB in one turn", turns["edge"] ?? [], 500),
      ratioGoal(
        "workerd: the same ÷ as many rows in one transaction (0.17 s on a quiet machine)",
        { turns },
        ["turns", "transaction", 3],
      ),
      ...readGoals("workerd", memory, "MemoryFileSystem"),
      ...readGoals("workerd", overlay, "edge"),
    ],
  };
}

const hosts = { node: onNode, browser: inChromium, workerd: inWorkerd };
const asked = process.argv.slice(2);
for (const [name, measure] of Object.entries(hosts)) {
  if (asked.length === 0 || asked.includes(name))
    writeSection(`files ${name}`, section(await measure()));
}

function section({ title, goals, tables }: Measured): string {
  const reached = goals.map(({ what, measured, goal, isMet }) => [
    what,
    measured,
    goal,
    isMet ? "met" : "missed",
  ]);
  return `## The cost of files: ${title}

Generated by \`test/bench/file-speed.ts\`: the file system of the host next to the stores below it, which take turns in the same
run. The goals, by the median of the ratios within a round or by the shortest time:

${table([["what", "measured", "goal", ""], ...reached])}

Milliseconds for ${ROUND} files of 1 KB in a hundred directories (\`list\`: the hundred directories), one after the other, and
\`write together\` a hundred at a time; in brackets the port's time as a multiple of the other's. The port's writes are durable when
its promise resolves. idb-keyval has no \`stat\`: the value is read instead.

${table([["where", "step", "port", "others (port ÷ other)"], ...tables])}

Node ${process.version}, ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(0)} from other work: times are longer than on an idle
machine accordingly, and ratios vary.`;
}
