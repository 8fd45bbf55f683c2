// Many sessions of one process at once, beside as many loops on the bare SDK: what a session costs where nothing of it is
// waited for by itself.
import { table } from "../section.ts";
import type { AdapterName } from "./adapters/index.ts";
import { TITLES, WIRE_TITLES } from "./report.ts";
import { measure, type Samples } from "./rounds.ts";
import { type Sample, SCENARIOS } from "./scenarios.ts";
import { median, ratios, spread } from "./statistics.ts";
import type { Wire } from "./wires.ts";

const MEASURED: AdapterName[] = ["sdk", "robota", "session-memory", "session-disk"];
/** Time by the clock as a ratio to what all are compared with, at the most. */
const GOALS: Partial<Record<AdapterName, number>> = { "session-memory": 1.25, "session-disk": 1.5 };

/** A crowd, and the adapter that all are compared with: the first one. */
interface Crowd {
  scenario: "crowd" | "pacedCrowd";
  adapters: readonly AdapterName[];
  explained: string;
}

const CROWDS: readonly Crowd[] = [
  {
    scenario: "crowd",
    adapters: MEASURED,
    explained: `All in one process, against a server on loopback: a session is made, answers once and is closed. By the clock, and in CPU
time of all threads, for one session; ratios to the bare SDK, whose loop keeps a list of messages and nothing else.`,
  },
  {
    scenario: "pacedCrowd",
    adapters: ["raw", ...MEASURED],
    explained: `The same at the pace of a service, with a tool call in the middle: a turn can't take less than two seconds. Ratios to a bare
\`fetch\` with the same loop.`,
  },
];

export async function crowdReport(
  wires: readonly Wire[],
  rounds: number,
  root: string,
): Promise<string> {
  const parts: string[] = [];
  for (const { scenario, adapters, explained } of CROWDS) {
    parts.push(`## ${SCENARIOS[scenario].title}`, explained);
    for (const wire of wires) {
      const samples = await measure({ wire, adapters, scenarios: [scenario], rounds, root });
      parts.push(`### ${WIRE_TITLES[wire]}`, tableOf(samples, scenario, adapters));
    }
  }
  return [
    ...parts,
    `Medians of the ratios within a round, quartiles behind; ${rounds} rounds that take turns with each other. Node ${process.version}.`,
  ].join("\n\n");
}

function tableOf(
  samples: Samples,
  scenario: Crowd["scenario"],
  adapters: readonly AdapterName[],
): string {
  const taken = samples.get(scenario);
  const of = (adapter: AdapterName, what: keyof Sample): number[] =>
    (taken?.get(adapter) ?? []).map((sample) => sample[what]);
  const [base = "sdk"] = adapters;
  const rows = adapters.map((adapter) => {
    const goal = GOALS[adapter];
    return [
      TITLES[adapter],
      Math.round(median(of(adapter, "wall"))).toLocaleString("en"),
      Math.round(median(of(adapter, "cpu"))).toLocaleString("en"),
      spread(ratios(of(adapter, "wall"), of(base, "wall"))),
      spread(ratios(of(adapter, "cpu"), of(base, "cpu"))),
      goal === undefined ? "" : `≤ ${goal}`,
    ];
  });
  const by = TITLES[base];
  const head = ["", "clock, µs", "CPU, µs", `clock ÷ ${by}`, `CPU ÷ ${by}`, "goal (clock)"];
  return table([head, ...rows]);
}
