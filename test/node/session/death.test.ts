import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NodeStorage } from "@robota/adapters-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleWorker, startWorker } from "./worker-process.ts";
import { turnClock } from "../../support/time/own-time.ts";

const KILLS = Number(process.env.ROBOTA_KILLS ?? 100);
const LANES = 3;

let base: string;
let bundle: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "robota-death-"));
  bundle = await bundleWorker(base);
});
afterAll(() => rm(base, { recursive: true }));

/** State that must be there, or may be there because the worker was killed before it could report. */
interface Expected {
  /** The generation that is there, or the one that was under way. */
  write: { last: number; next: number };
  set: { last: number; next: number };
  /** Every line and every batch that was acknowledged, the latter with the number of its last entry. */
  lines: number[];
  batches: { generation: number; seq: number }[];
}

/** The generation of a text that `sealed` made. @throws when it is not whole */
function unseal(text: string): number {
  const body = text.slice(0, text.lastIndexOf(":"));
  const seal = createHash("sha256").update(body).digest("hex");
  if (text !== `${body}:${seal}`) throw new Error(`not whole: ${text.slice(0, 100)}`);
  return Number(body.slice(0, body.indexOf(":")));
}

async function checkFiles(directory: string, { write, lines: reported }: Expected): Promise<void> {
  const written = unseal(await readFile(join(directory, "file"), "utf8"));
  expect([write.last, write.next]).toContain(written);
  write.last = written;

  const lines = await readFile(join(directory, "lines"), "utf8");
  let from = 0;
  for (const generation of reported) {
    const start = lines.indexOf(`<${generation}:`, from);
    expect(start, `line ${generation}`).toBeGreaterThanOrEqual(from);
    from = lines.indexOf(">", start) + 1;
    expect(unseal(lines.slice(start + 1, from - 1))).toBe(generation);
  }
}

async function checkStorage(
  directory: string,
  { set, batches: reported }: Expected,
): Promise<void> {
  const storage = new NodeStorage({ directory: join(directory, "storage") });
  const value = new TextDecoder().decode(await storage.get("a/value"));
  const stored = unseal(JSON.parse(value));
  expect([set.last, set.next]).toContain(stored);
  set.last = stored;
  expect(await storage.keys("")).toEqual(["a/value"]);

  const batches = new Map<number, { generation: number; parts: number[]; size: number }>();
  let batch: { generation: number; parts: number[]; size: number } | undefined;
  let count = 0;
  for await (const { seq, value: bytes } of storage.read("a/log")) {
    expect(seq).toBe(++count);
    const { generation, part, size } = JSON.parse(new TextDecoder().decode(bytes));
    if (part === 0) batch = { generation, parts: [], size };
    expect(batch).toMatchObject({ generation, size });
    batch?.parts.push(part);
    if (batch && part === size - 1) batches.set(seq, batch);
  }
  const sizes = Array.from(batches.values(), ({ parts, size }) => parts.length - size);
  expect(sizes.every((missing) => missing === 0)).toBe(true);
  expect(batches.has(count), "the last batch is whole").toBe(true);
  for (const { generation, seq } of reported) {
    expect(batches.get(seq)?.generation, `entry ${seq}`).toBe(generation);
  }
}

/** Starts workers in one directory after another was killed there, and looks at what is left each time. */
async function killRepeatedly(directory: string, kills: number): Promise<number> {
  await mkdir(directory);
  const expected: Expected = {
    write: { last: -1, next: 0 },
    set: { last: -1, next: 0 },
    lines: [],
    batches: [],
  };
  let operations = 0;
  for (let round = 0; round < kills; round++) {
    const first = round * 100_000;
    expected.write.next = first;
    expected.set.next = first;
    const worker = startWorker(bundle, "store", directory, String(first));
    // After any acknowledgement, or a little later; in the first round there has to be one of each kind.
    await worker.waitForLines(round === 0 ? 48 : 8 + Math.floor(Math.random() * 40));
    if (Math.random() < 0.5) await new Promise((resolve) => setTimeout(resolve, Math.random() * 8));
    await worker.kill();

    operations += worker.lines.length;
    for (const line of worker.lines) note(expected, line);
    await checkFiles(directory, expected);
    await checkStorage(directory, expected);
  }
  return operations;
}

function note(expected: Expected, line: string): void {
  const [kind, text, seq] = line.split(" ");
  const generation = Number(text);
  const generations = { last: generation, next: generation + 1 };
  if (kind === "write" || kind === "set") expected[kind] = generations;
  else if (kind === "appendFile") expected.lines.push(generation);
  else expected.batches.push({ generation, seq: Number(seq) });
}

describe("acknowledged writes survive a kill", () => {
  it(
    `${KILLS} times, complete, and none partial`,
    async () => {
      const share = Math.ceil(KILLS / LANES);
      const lanes = Array.from({ length: LANES }, (_, lane) =>
        killRepeatedly(join(base, `lane-${lane}`), share),
      );
      const operations = (await Promise.all(lanes)).reduce((total, count) => total + count, 0);
      console.info(`${share * LANES} kills, ${operations} acknowledged operations, none lost`);
      expect(operations).toBeGreaterThan(share * LANES * 8);
    },
    60_000 + KILLS * 2000,
  );
});

describe("a lease whose holder was killed", () => {
  it("is granted to the next at once, whether it comes later or waits already", async () => {
    const directory = await mkdtemp(join(base, "lease-"));
    await using storage = new NodeStorage({ directory: join(directory, "storage") });
    for (let round = 0; round < 5; round++) {
      const worker = startWorker(bundle, "hold", directory);
      await worker.waitForLines(1);
      const waiting = round % 2 ? storage.acquire("name") : undefined;
      await worker.kill();
      using clock = turnClock();
      const lease = await (waiting ?? storage.acquire("name"));
      expect(clock.ms()).toBeLessThan(500);
      await lease.release();
    }
  });

  it("reports its theft to a holder in another process", async () => {
    const directory = await mkdtemp(join(base, "stolen-"));
    await using storage = new NodeStorage({ directory: join(directory, "storage") });
    const worker = startWorker(bundle, "hold", directory);
    await worker.waitForLines(1);
    using clock = turnClock();
    const lease = await storage.acquire("name", { steal: true });
    await worker.waitForLines(2);
    expect(clock.ms()).toBeLessThan(500);
    expect(await worker.ended).toBe(0);
    expect(lease.lost.aborted).toBe(false);
  });
});

describe("processes that share a storage", () => {
  it("lose no change made with ifMatch, and no entry", async () => {
    const directory = join(base, "shared");
    const workers = [1, 2, 3, 4].map(() => startWorker(bundle, "count", directory, "25"));
    expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
    const storage = new NodeStorage({ directory: join(directory, "storage") });
    expect(new TextDecoder().decode(await storage.get("counter"))).toBe("100");
    let count = 0;
    for await (const { seq } of storage.read("counted")) expect(seq).toBe(++count);
    expect(count).toBeGreaterThanOrEqual(200);
    expect(count % 2).toBe(0);
    await storage.dispose();
  });

  it("continue when some of them are killed meanwhile", async () => {
    const directory = join(base, "killed");
    await mkdir(directory);
    const survivor = startWorker(bundle, "count", directory, "60");
    for (let round = 0; round < 6; round++) {
      const victim = startWorker(bundle, "count", directory, "1000000");
      await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 100));
      await victim.kill();
    }
    expect(await survivor.ended).toBe(0);

    const storage = new NodeStorage({ directory: join(directory, "storage") });
    await storage.set("counter", new Uint8Array());
    await storage.append("counted", [new Uint8Array()]);
    await storage.dispose();
    const files = await readdir(join(directory, "storage"));
    expect(files.filter((name) => name.includes("~lock"))).toEqual([]);
  });

  it("hold a lease one at a time", async () => {
    const directory = join(base, "taking");
    await mkdir(directory);
    const workers = [1, 2, 3].map(() => startWorker(bundle, "take", directory, "15"));
    expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual([0, 0, 0]);
  });
});
