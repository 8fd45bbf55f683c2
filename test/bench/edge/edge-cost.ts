// Requests, rows and milliseconds that sessions need in a real workerd, and their price. Writes docs/evidence/edge-cost.md.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startWorkerd } from "../../e2e/workerd.ts";
import { table } from "../section.ts";
import { type Costs, monthlyPrice, PRICES, simulate, type Use } from "./prices.ts";

const TURNS = 20;
const SESSIONS = 5;

interface Counts extends Use {
  alarms: number;
  timers: number;
  bytes: number;
}

const workerd = await startWorkerd({
  entry: "test/workerd/edge-cost-worker.ts",
  objects: { SESSIONS: "SessionObject", DIRECTORIES: "SessionDirectory" },
  variables: { API_TOKEN: "bench", REQUESTS_PER_MINUTE: "100000", NO_REQUEST_LOG: "1" },
});

function call(path: string, body?: unknown): Promise<Response> {
  return fetch(workerd.url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: "Bearer bench", accept: "text/event-stream" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function counts(): Promise<Counts> {
  return (await (await fetch(`${workerd.url}/counts`)).json()) as Counts;
}

/** Processor time of the process so far, in milliseconds. */
function cpuMs(): number {
  const ticks = execFileSync("cut", ["-d", " ", "-f", "14,15", `/proc/${workerd.pid}/stat`]);
  const [user = 0, system = 0] = String(ticks).trim().split(" ").map(Number);
  return (user + system) * 10;
}

/** Use per repetition, and what is at rest afterwards. */
async function measure(
  repetitions: number,
  work: (index: number) => Promise<void>,
): Promise<Use & { bytes: number }> {
  const before = await counts();
  const cpu = cpuMs();
  for (let index = 0; index < repetitions; index++) await work(index);
  const after = await counts();
  const per = (name: keyof Counts): number => (after[name] - before[name]) / repetitions;
  return {
    worker: per("worker"),
    objects: per("objects"),
    rowsRead: per("rowsRead"),
    rowsWritten: per("rowsWritten"),
    objectMs: per("objectMs"),
    cpuMs: (cpuMs() - cpu) / repetitions,
    bytes: per("bytes"),
  };
}

async function turn(path: string, text: string): Promise<void> {
  const answer = await call(`${path}/messages`, { text });
  if (!(await answer.text()).includes("event: done")) throw new Error("the turn has not ended");
}

const paths: string[] = [];
const made = await measure(SESSIONS, async () => {
  const answer = (await (await call("/v1/sessions", {})).json()) as { id: string };
  paths.push(`/v1/sessions/${answer.id}`);
});
const pathOf = (index: number): string => paths[index % paths.length] ?? "";
const answered = await measure(TURNS, (index) => turn(pathOf(index), "help"));
const withTools = await measure(TURNS, (index) => turn(pathOf(index), "list **/*\nread README.md"));
const looked = await measure(TURNS, async (index) => {
  await (await call(pathOf(index))).text();
});
// An alarm that a turn set is gone with it, at the latest when it rings.
const deadline = Date.now() + 60_000;
let atRest = await counts();
while (atRest.alarms + atRest.timers > 0 && Date.now() < deadline) {
  await new Promise((resolve) => setTimeout(resolve, 500));
  atRest = await counts();
}
if (atRest.alarms + atRest.timers > 0)
  throw new Error(`sessions at rest have ${atRest.alarms} alarms and ${atRest.timers} timers`);
const rest = await counts();
await new Promise((resolve) => setTimeout(resolve, 10_000));
const later = await counts();
if (later.objects !== rest.objects || later.rowsWritten !== rest.rowsWritten)
  throw new Error("sessions at rest did something");
await workerd[Symbol.asyncDispose]();

const costs: Costs = { made, answered, withTools, looked };
const number = (value: number, digits = 1): string =>
  value.toLocaleString("en", { maximumFractionDigits: digits });
const dollars = (value: number): string =>
  `$${value.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
const rows = (
  [
    ["creating a session", made],
    ["a turn, answered at once", answered],
    ["a turn with two tool calls", withTools],
    ["reading a session", looked],
  ] as const
).map(([name, use]) => [
  name,
  number(use.worker),
  number(use.objects),
  number(use.rowsRead, 0),
  number(use.rowsWritten, 0),
  number(use.objectMs, 0),
  number(use.cpuMs, 0),
  number(use.bytes / 1024, 0),
]);
const sizes = [1, 1000, 1_000_000];
const months = [
  ["unused", 0],
  ["10 turns each", 10],
  ["100 turns each", 100],
] as const;
const bill = months.map(([name, turns]) => [
  name,
  ...sizes.map((sessions) =>
    dollars(monthlyPrice(costs, { sessions, turns, modelSeconds: 10 }).total),
  ),
]);
const one = monthlyPrice(costs, { sessions: 1_000_000, turns: 10, modelSeconds: 10 });
const simulation = simulate(costs, 100_000);

writeFileSync(
  join(import.meta.dirname, "../../../docs/evidence/edge-cost.md"),
  `# The cost of the worker

Measured in workerd ${new Date().toISOString().slice(0, 10)} by \`node test/bench/edge/edge-cost.ts\`, which writes this page: the worker of \`apps/edge-worker\` with
the offline provider, its objects wrapped to count requests, rows and time. Models are billed separately, and cost far more.

## Use

${table([["", "worker requests", "object requests", "rows read", "rows written", "object ms", "processor ms", "stored KiB"], ...rows])}

Averages of ${SESSIONS} sessions and ${TURNS} turns. Object requests are those of sessions and of their directories: one for the limits of the principal,
one for the session, and updates of the list. Processor time is that of the whole process on a shared machine, hence an upper bound.

An idle session costs storage only: after the last turn, no object had an alarm or a timer set, and for 10 seconds there was no
request and no row was written.

## Prices

Cloudflare, Workers Paid: ${dollars(PRICES.base)} a month, with these amounts included.

${table([
  ["", "included", "beyond"],
  ["requests to the worker", "10 million", "$0.30 a million"],
  ["processor time of the worker", "30 million ms", "$0.02 a million ms"],
  ["requests to objects", "1 million", "$0.15 a million"],
  ["duration of objects, 128 MB each", "400,000 GB-s", "$12.50 a million GB-s"],
  ["rows read", "25 billion", "$0.001 a million"],
  ["rows written", "50 million", "$1.00 a million"],
  ["stored", "5 GB", "$0.20 a GB and month"],
])}

From [Durable Objects pricing](https://developers.cloudflare.com/durable-objects/platform/pricing/) and
[Workers pricing](https://developers.cloudflare.com/workers/platform/pricing/), as of 2026-11-24; storage has been billed since 2026-01-07. Setting an alarm counts as a row
written. Waiting for a model counts towards the object's duration, not towards processor time.

## A month

The monthly price of an account by its sessions. Each turn has two tool calls, waits 10 s for a model, and the session is read five times per turn:

${table([["", ...sizes.map((size) => `${number(size)} session${size === 1 ? "" : "s"}`)], ...bill])}

The ${dollars(one.total)} for a million sessions with 10 turns each consists of: ${Object.entries(
    one.parts,
  )
    .map(([name, price]) => `${name} ${dollars(price)}`)
    .join(", ")}.

## 100,000 sessions, simulated

\`test/bench/edge/prices.ts\` draws, with a fixed seed, the use of each of 100,000 sessions in a month: most of them light, a few heavy (log-normal, median
4 turns). Each turn waits 2 to 60 s for its model, and the session is read 1 to 12 times. The prices are those of the use measured above.

\`\`\`text
${simulation.join("\n")}
\`\`\`
`,
);
