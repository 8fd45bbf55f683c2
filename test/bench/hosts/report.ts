import { median, ratios, spread } from "../peers/statistics.ts";
import { SCENARIOS, type ScenarioName } from "../peers/scenarios.ts";
import { table } from "../section.ts";
import type { Wire } from "../peers/wires.ts";
import type { HostAdapterName } from "./agent.ts";
import { type AgentHost, type HostedAgent, HOSTS } from "./agents.ts";

const ADAPTERS: HostAdapterName[] = ["raw", "sdk", "robota", "session-memory"];
const SCENARIO_NAMES: ScenarioName[] = ["turn", "burst", "live", "tool"];
const WIRES: [Wire, string][] = [
  ["anthropic", "Anthropic Messages"],
  ["openai-chat", "OpenAI Chat Completions"],
];
/** Rounds that do not count: the compiler is still at work. */
const WARM_UP = 1;
/** A sample ends when it has used so much CPU time, or taken so long. */
const SAMPLE_MS = 150;
const MAX_MS = 500;

type Costs = Map<HostAdapterName, number[]>;

/** The first scenarios in a real browser and in a real workerd, in rounds in which the adapters take turns. */
export async function hostsSection(root: string, rounds: number): Promise<string> {
  const parts: string[] = [];
  for (const [wire, title] of WIRES) {
    const rows: string[][] = [];
    for (const [name, start] of Object.entries(HOSTS)) {
      await using host = await start();
      const agents = await startAgents(host);
      for (const scenario of SCENARIO_NAMES) {
        const costs = await measure(agents, { wire, scenario, root, rounds });
        rows.push([`${name}: ${SCENARIOS[scenario].title}`, ...cells(costs)]);
      }
    }
    const head = ["", "raw, µs", "SDK ÷ raw", "Robota ÷ raw", "Session ÷ raw"];
    parts.push(`### ${title}`, table([[...head, "Robota ÷ SDK", "Session ÷ SDK"], ...rows]));
  }
  return [
    "## In a page and in a worker",
    `CPU time of the same work in a real Chromium (of the page's renderer, all threads; not what the browser's other processes
do for the network) and in a real workerd (the whole process), next to the same services on loopback: bundled by esbuild, each
system in a process of its own that stays warm, \`Session\` with everything on and kept in memory.`,
    ...parts,
    `Medians of ${rounds} rounds that take turns with each other; ratios are taken within a round, quartiles behind. A clock that
stands still in workerd can't tell: the CPU time of a process is read from Linux.`,
  ].join("\n\n");
}

async function startAgents(host: AgentHost): Promise<Map<HostAdapterName, HostedAgent>> {
  const agents = new Map<HostAdapterName, HostedAgent>();
  for (const adapter of ADAPTERS) agents.set(adapter, await host.start());
  return agents;
}

async function measure(
  agents: ReadonlyMap<HostAdapterName, HostedAgent>,
  options: { wire: Wire; scenario: ScenarioName; root: string; rounds: number },
): Promise<Costs> {
  const { rounds, ...what } = options;
  const costs: Costs = new Map(ADAPTERS.map((adapter) => [adapter, []]));
  for (let round = 1 - WARM_UP; round <= rounds; round++) {
    const turns = [...agents];
    for (const [adapter, agent] of round % 2 === 0 ? turns : turns.toReversed()) {
      const cost = await sample(agent, (goes) => agent.work({ ...what, adapter, goes }));
      if (round > 0) costs.get(adapter)?.push(cost / SCENARIOS[what.scenario].units);
    }
  }
  return costs;
}

/** Microseconds of CPU time of one go. */
async function sample(agent: HostedAgent, work: (goes: number) => Promise<void>): Promise<number> {
  const begun = performance.now();
  const before = agent.cpu();
  let done = 0;
  let used = 0;
  for (let goes = 1; used < SAMPLE_MS * 1000; goes *= 2) {
    await work(goes);
    done += goes;
    used = agent.cpu() - before;
    if (performance.now() - begun > MAX_MS) break;
  }
  return used / done;
}

function cells(costs: Costs): string[] {
  const of = (adapter: HostAdapterName): number[] => costs.get(adapter) ?? [];
  const relative = (adapter: HostAdapterName, base: HostAdapterName): string =>
    spread(ratios(of(adapter), of(base)));
  return [
    median(of("raw")).toFixed(1),
    relative("sdk", "raw"),
    relative("robota", "raw"),
    relative("session-memory", "raw"),
    relative("robota", "sdk"),
    relative("session-memory", "sdk"),
  ];
}
