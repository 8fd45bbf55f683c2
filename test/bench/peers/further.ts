import { bundleEntry } from "../../../scripts/packaging/bundle-entry.ts";
import { entriesOf } from "../../../scripts/packaging/entries.ts";
import { table } from "../section.ts";
import type { AdapterName } from "./adapters/index.ts";
import { packedModules } from "./packed.ts";
import { answer, start } from "./processes.ts";
import { measure } from "./rounds.ts";
import { median, ratios, spread } from "./statistics.ts";
import type { Wire } from "./wires.ts";

const STARTS = 7;

/** Measures the costs beside turns: starting, waiting, storing, downloading. */
export async function furtherReport(
  root: string,
  adapters: readonly AdapterName[],
): Promise<string> {
  const packed = packedModules();
  return [
    "### Starting",
    await starting(packed, root, adapters),
    "### Waiting",
    await waiting(packed, root, adapters),
    "### Storing",
    await storing(packed, root),
    "### Downloading",
    await downloading(),
  ].join("\n\n");
}

async function starting(
  packed: string,
  root: string,
  adapters: readonly AdapterName[],
): Promise<string> {
  const firsts = new Map<AdapterName, number[]>(adapters.map((adapter) => [adapter, []]));
  const imports: number[] = [];
  for (let round = 0; round <= STARTS; round++) {
    for (const adapter of adapters) {
      const begun = Date.now();
      const { first } = await once<{ first: number }>(packed, "cold.ts", [
        adapter,
        "anthropic",
        root,
      ]);
      if (round > 0) firsts.get(adapter)?.push(first - begun);
    }
    const { ms } = await once<{ ms: number }>(packed, "import-time.ts", []);
    if (round > 0) imports.push(ms);
  }
  const bare = firsts.get("sdk") ?? [];
  const rows = adapters.map((adapter) => {
    const values = firsts.get(adapter) ?? [];
    return [adapter, `${Math.round(median(values))} ms`, spread(ratios(values, bare))];
  });
  return [
    table([["a fresh Node to the first delta, Anthropic", "", "÷ bare SDK"], ...rows]),
    `Goal: a session within 1.1 of the bare SDK. \`import "@robota/runtime"\` alone takes ${Math.round(median(imports))} ms (goal: 25).`,
  ].join("\n\n");
}

async function waiting(
  packed: string,
  root: string,
  adapters: readonly AdapterName[],
): Promise<string> {
  const rows: string[][] = [];
  for (const adapter of adapters) {
    const { heap, external } = await once<{ heap: number; external: number }>(
      packed,
      "idle.ts",
      [adapter, "anthropic", root],
      ["--expose-gc"],
    );
    rows.push([adapter, `${(heap / 1024).toFixed(1)} KB`, `${(external / 1024).toFixed(1)} KB`]);
  }
  return [
    table([["an idle session with 20 messages", "heap", "external"], ...rows]),
    "Goal: Robota at most 6 KB, Session at most 14 KB, nothing external. Records in a storage in memory are counted as well.",
  ].join("\n\n");
}

async function storing(packed: string, root: string): Promise<string> {
  const { early, late, syncs, steps } = await once<Record<string, number>>(packed, "disk.ts", [
    root,
  ]);
  const samples = await measure({
    wire: "anthropic",
    adapters: ["session-memory", "session-disk"],
    scenarios: ["pacedTools"],
    rounds: 5,
    root,
  });
  const walls = (adapter: AdapterName): number[] =>
    (samples.get("pacedTools")?.get(adapter) ?? []).map(({ wall }) => wall);
  return [
    `A turn writes ${early} bytes after 10 turns and ${late} after 500 (goal: the same).`,
    `A turn with 20 tool rounds makes its ${steps} acknowledged steps durable with ${syncs} fsyncs (goal: at most one a step).`,
    `On disk instead of in memory, that turn takes ${spread(ratios(walls("session-disk"), walls("session-memory")))} times as long by the clock, with a model that sends an event each millisecond and answers after ten (goal: 1.15).`,
  ].join("\n\n");
}

interface Page {
  wire: Wire;
  code: string;
  goal: number;
}

/** The download of a page until its agent has answered: its static imports, and the parts that the first call loads. */
async function downloading(): Promise<string> {
  const runtime = "../packages/runtime/src";
  const sources = `${runtime}/providers`;
  const anthropic = [
    'import { AnthropicProvider as Provider } from "@robota/runtime/providers/anthropic";',
    `export * as codec from "${sources}/anthropic/codec.ts";`,
  ].join("\n");
  const openai = [
    'import { OpenAIProvider as Provider } from "@robota/runtime/providers/openai";',
    `export * as codec from "${sources}/openai/chat-codec.ts";`,
  ].join("\n");
  const turn = [
    `export * as turn from "${runtime}/session/turn/run-turn.ts";`,
    `export * as engine from "${runtime}/permissions/engine.ts";`,
  ].join("\n");
  const agent = (name: string): string =>
    `import { ${name} } from "@robota/runtime"; export const agent = new ${name}({ provider: new Provider({}) });`;
  const pages: [title: string, page: Page][] = [
    ["Robota on Anthropic", { wire: "anthropic", code: agent("Robota"), goal: 60 }],
    [
      "Session on Anthropic",
      { wire: "anthropic", code: `${turn}\n${agent("Session")}`, goal: 100 },
    ],
    ["Robota on OpenAI", { wire: "openai-chat", code: agent("Robota"), goal: 105 }],
    ["Session on OpenAI", { wire: "openai-chat", code: `${turn}\n${agent("Session")}`, goal: 145 }],
  ];
  const rows: string[][] = [];
  for (const [title, { wire, code, goal }] of pages) {
    const provider = wire === "anthropic" ? anthropic : openai;
    const { firstLoad } = await bundleEntry(`${provider}\n${code}`, "browser");
    rows.push([title, kilobytes(firstLoad), `≤ ${goal} kB`]);
  }
  return [
    table([["a page with one agent, minified and gzipped", "", "goal"], ...rows]),
    await providerEntries(),
  ].join("\n\n");
}

/** A provider comes without its wire's codec, which the first call loads. */
async function providerEntries(): Promise<string> {
  const rows: string[][] = [];
  for (const entry of entriesOf("runtime").filter((name) => name.includes("/providers/"))) {
    const { firstLoad, whole } = await bundleEntry(`export * from "${entry}";`, "browser");
    rows.push([`\`${entry}\``, kilobytes(firstLoad), kilobytes(whole)]);
  }
  return table([
    ["an entry by itself, minified and gzipped", "", "with what a call loads"],
    ...rows,
  ]);
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

/** The answer of a process that has the packages as programs that depend on them do, gives one and ends. */
function once<Answer>(
  packed: string,
  module: string,
  args: readonly string[],
  flags: readonly string[] = [],
): Promise<Answer> {
  return answer<Answer>(start(module, args, { packed, flags }), 300_000);
}
