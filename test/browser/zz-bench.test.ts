import { BrowserFileSystem } from "@robota/adapters-web";
import { createStore, get, set } from "idb-keyval";
import { it } from "vitest";
const kb = crypto.getRandomValues(new Uint8Array(1024));
async function time(f: () => Promise<void>) { const t = performance.now(); await f(); return performance.now() - t; }
const med = (xs: number[]) => Math.round(xs.toSorted((a, b) => a - b)[Math.floor(xs.length / 2)]!);
it("bench", { timeout: 300_000 }, async () => {
  const s = createStore(crypto.randomUUID(), "kv");
  await get("x", s);
  const fs = new BrowserFileSystem(crypto.randomUUID());
  for (const d of "defgh") await fs.mkdir(`/${d}`);
  const R: Record<string, number[]> = {};
  const add = async (k: string, f: (i: number) => Promise<unknown>, off: number) => { (R[k] ??= []).push(await time(async () => { for (let i = 0; i < 100; i++) await f(off + i); })); };
  for (let r = 0; r < 20; r++) {
    const o = r * 100;
    await add("idbset", (i) => set(`/d/file-${i}`, kb, s), o);
    await add("fswrite", (i) => fs.writeFile(`/d/file-${i}`, kb), o);
    await add("idbover", (i) => set(`/d/file-${i}`, kb, s), 0);
    await add("fsover", (i) => fs.writeFile(`/d/file-${i}`, kb), 0);
    await add("fsappend", (i) => fs.appendFile(`/d/file-${i}`, kb), 0);
    await add("idbget", (i) => get(`/d/file-${i}`, s), o);
    await add("fsread", (i) => fs.readFile(`/d/file-${i}`), o);
  }
  console.log("BENCH med", JSON.stringify(Object.fromEntries(Object.entries(R).map(([k, v]) => [k, med(v)]))), "min", JSON.stringify(Object.fromEntries(Object.entries(R).map(([k, v]) => [k, Math.round(Math.min(...v))]))));
  await fs.dispose();
});
