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
/** Time by the clock as a ratio to the bare SDK at the most. */
const GOALS: Partial<Record<AdapterName, number>> = { "session-memory": 1.25, "session-disk": 1.5 };

export async function crowdReport(
  wires: readonly Wire[],
  rounds: number,
  root: string,
): Promise<string> {
  const tables: string[] = [];
  for (const wire of wires) {
    const samples = await measure({
      wire,
      adapters: MEASURED,
      scenarios: ["crowd"],
      rounds,
      root,
    });
    tables.push(`### ${WIRE_TITLES[wire]}`, tableOf(samples));
  }
  return [
    `## ${SCENARIOS.crowd.title}`,
    `All in one process, against a server on loopback: a session is made, answers once and is closed. By the clock, and in CPU
time of all threads, for one session; ratios to the bare SDK, whose loop keeps a list of messages and nothing else.`,
    ...tables,
    `Medians of the ratios within a round, quartiles behind; ${rounds} rounds that take turns with each other. Node ${process.version}.`,
  ].join("\n\n");
}

function tableOf(samples: Samples): string {
  const taken = samples.get("crowd");
  const of = (adapter: AdapterName, what: keyof Sample): number[] =>
    (taken?.get(adapter) ?? []).map((sample) => sample[what]);
  const rows = MEASURED.map((adapter) => {
    const goal = GOALS[adapter];
    return [
      TITLES[adapter],
      Math.round(median(of(adapter, "wall"))).toLocaleString("en"),
      Math.round(median(of(adapter, "cpu"))).toLocaleString("en"),
      spread(ratios(of(adapter, "wall"), of("sdk", "wall"))),
      spread(ratios(of(adapter, "cpu"), of("sdk", "cpu"))),
      goal === undefined ? "" : `≤ ${goal}`,
    ];
  });
  const head = ["", "clock, µs", "CPU, µs", "clock ÷ bare SDK", "CPU ÷ bare SDK", "goal (clock)"];
  return table([head, ...rows]);
}
