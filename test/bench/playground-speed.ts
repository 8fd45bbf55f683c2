// The speed of the playground in a real Chromium, as its issue asks for it. Writes its section of docs/evidence/benchmarks.md:
// `node --conditions=@robota/source test/bench/playground-speed.ts`; with `--only typing,deltas` some of it, which is
// printed and not written.
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright";
import { longSession, storeSession } from "../e2e/playground/long-session.ts";
import { buildSite, CHROMIUM_FLAGS, serveSite } from "../e2e/playground/serve-site.ts";
import { quantile } from "./peers/statistics.ts";
import { type Opening, opening, streaming, typing, visitWith } from "./playground/conversations.ts";
import { type FirstLoad, firstLoad } from "./playground/first-load.ts";
import { startModelServer } from "./playground/model-server.ts";
import { longest } from "./playground/traced.ts";
import { table, writeSection } from "./section.ts";

const PARTS = ["load", "typing", "deltas", "open"] as const;
const ROUNDS = 5;

const { values } = parseArgs({
  options: { only: { type: "string" }, site: { type: "string" } },
});
const wanted = values.only?.split(",") ?? PARTS;

/** The measure, its figure in the review, and the goal. */
type Row = [what: string, measured: string, review: string, goal: string];

const ms = (value: number): string => `${Math.round(value).toLocaleString("en")} ms`;
const medianOf = (numbers: readonly number[]): string => {
  const rounded = [0.5, 0, 1].map((share) => Math.round(quantile(numbers, share)));
  const [middle = 0, least = 0, most = 0] = rounded;
  return `${middle.toLocaleString("en")} ms (${least.toLocaleString("en")}–${most.toLocaleString("en")})`;
};
const p95 = (numbers: readonly number[]): string =>
  `${ms(quantile(numbers, 0.5))} / ${ms(quantile(numbers, 0.95))}`;

const directory = values.site ?? (await mkdtemp(join(tmpdir(), "robota-playground-")));
if (!values.site) await buildSite(directory);
await using site = await serveSite(directory, { compressed: true });
await using server = await startModelServer();
const browser = await chromium.launch({
  executablePath: process.env["ROBOTA_CHROMIUM"] ?? "/usr/bin/chromium",
  args: CHROMIUM_FLAGS,
});

async function measureLoad(): Promise<Row[]> {
  const visits: FirstLoad[] = [];
  for (let round = 0; round < ROUNDS; round++) visits.push(await firstLoad(browser, site.url));
  const of = (key: keyof FirstLoad): string => medianOf(visits.map((one) => one[key]));
  return [
    ["Slow 4G, CPU ÷ 4: first paint", of("painted"), "1,500–2,900 ms", ""],
    ["… composer usable", of("usable"), "1,500–2,900 ms", "≤ 1,200 ms"],
    ["… first screen drawn", of("drawn"), "2,800–4,600 ms", "≤ 1,500 ms"],
    ["… click on a card to the first question", of("question"), "4,300 ms", "≤ 2,000 ms"],
  ];
}

async function measureTyping(): Promise<Row[]> {
  const page = await visitWith(browser, site.url, server);
  const { still, streaming: during } = await typing(page, 300);
  await page.context().close();
  return [
    ["300 messages: key to frame, p50 / p95", p95(still.watched.keys), "7 / 28 ms", "p95 < 50 ms"],
    ["… CPU time of a key", p95(still.cpu), "", ""],
    [
      "… key to frame while an answer streams in",
      p95(during.watched.keys),
      "13 / 80 ms",
      "p95 < 50 ms",
    ],
    ["… CPU time of a key and of the text meanwhile", p95(during.cpu), "", ""],
  ];
}

async function measureDeltas(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const rate of [2_500, 100_000]) {
    const page = await visitWith(browser, site.url, server);
    const { watched, traced, took, nodes } = await streaming(browser, page, 20_000, rate);
    await page.context().close();
    const { longTasks, frames } = watched;
    const clock = longTasks.length === 0 ? "less than 50 ms" : ms(Math.max(...longTasks));
    const speed = rate > 20_000 ? "all at once" : `${rate.toLocaleString("en")} a second`;
    rows.push([
      `20,000 deltas, ${speed}: longest task, CPU time`,
      ms(longest(traced)),
      "",
      "≤ 100 ms",
    ]);
    rows.push(["… by the clock", clock, rate > 20_000 ? "" : "309 ms", ""]);
    rows.push(["… all tasks, CPU time", ms(traced.total), "", ""]);
    rows.push(["… tasks of 50 ms and more", String(longTasks.length), "2", ""]);
    rows.push([
      "… frame p95 / worst",
      `${ms(quantile(frames, 0.95))} / ${ms(Math.max(...frames))}`,
      "",
      "",
    ]);
    rows.push([
      "… to the end; elements on the page",
      `${ms(took)}; ${nodes.toLocaleString("en")}`,
      "",
      "",
    ]);
  }
  return rows;
}

async function measureOpening(): Promise<Row[]> {
  const page = await visitWith(browser, site.url, server);
  const session = await longSession(10_000);
  await storeSession(page, session);
  const rounds: Opening[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await opening(browser, page, session));
  await page.context().close();
  const of = (read: (one: Opening) => number): string => medianOf(rounds.map(read));
  return [
    [
      "10,000 messages: click in the list to the last turn",
      of((one) => one.click),
      "",
      "< 1,000 ms",
    ],
    ["… click to all of the session", of((one) => one.whole), "", "< 1,000 ms"],
    ["… CPU time of the main thread until then", of((one) => one.traced.total), "", ""],
    ["… longest task, CPU time", of((one) => longest(one.traced)), "305 ms (220 messages)", ""],
    ["… reload to the last turn", of((one) => one.reload), "1,070 ms (220 messages)", "< 1,000 ms"],
    ["… elements on the page", (rounds[0]?.nodes ?? NaN).toLocaleString("en"), "", ""],
  ];
}

const measures = {
  load: measureLoad,
  typing: measureTyping,
  deltas: measureDeltas,
  open: measureOpening,
};
const rows: Row[] = [];
try {
  for (const part of PARTS.filter((name) => wanted.includes(name))) {
    const measured = await measures[part]();
    for (const row of measured) console.error(row.join(" | "));
    rows.push(...measured);
  }
} finally {
  await browser.close();
  if (!values.site) await rm(directory, { recursive: true, force: true });
}

const load = loadavg().map((each) => each.toFixed(1));
const text = `## The playground

The built page in Chromium ${browser.version()}, served gzipped from loopback; \`npm run bench -- --sections playground\`. Slow 4G is
1.6 Mbit/s and 150 ms, by the browser's own throttling. The 20,000 deltas are five characters of Markdown each, from a server of chat
completions; the 10,000 messages have Markdown, code and tool calls. "Then" is the use of the page at 0b075a0.

${table([["", "now", "then", "goal"], ...rows])}

Medians of ${ROUNDS} rounds, extremes behind. ${availableParallelism()} cores, with other work on them (load ${load.join(", ")}).`;
console.log(text);
if (!values.only) writeSection("playground", text);
