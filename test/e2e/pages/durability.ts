import { BrowserFileSystem, BrowserStorage } from "@robota/adapters-web";
import { differences, type Host, type Lane, LANES, makeStep } from "./workload.ts";

/** Checks what earlier lives of this page have left, reports it, and goes on until the page dies. */
async function live(): Promise<void> {
  // With a journal from the first change on in half of its lives.
  const journalAfter = Math.random() < 0.5 ? 0 : 16;
  const fs = new BrowserFileSystem("death", { journalAfter });
  const host: Host = { fs, storage: new BrowserStorage("death") };
  const acknowledged = new URLSearchParams(location.search);
  await host.fs.mkdir("/code", { recursive: true });
  const done: Record<Lane, number> = { files: 0, log: 0, values: 0 };
  const problems: string[] = [];
  for (const lane of LANES) {
    const count = Number(acknowledged.get(lane));
    const found = await differences(host, lane, count);
    done[lane] = count;
    if (found.length === 0) continue;
    // One step may have been stored and not been acknowledged.
    done[lane] = count + 1;
    const isOneMore = (await differences(host, lane, count + 1)).length === 0;
    if (!isOneMore) problems.push(`${lane} after ${count} steps:`, ...found);
  }
  await post("/checked", { done, problems });
  if (problems.length === 0) await Promise.all(LANES.map((lane) => work(host, lane, done[lane])));
}

async function work(host: Host, lane: Lane, done: number): Promise<void> {
  for (let n = done + 1; ; n++) {
    await makeStep(host, lane, n);
    await post("/done", { lane, n });
  }
}

async function post(path: string, body: unknown): Promise<void> {
  await fetch(path, { method: "POST", body: JSON.stringify(body) });
}

live().catch((error: Error) => post("/failed", `${error} (${String(error.cause)})`));
