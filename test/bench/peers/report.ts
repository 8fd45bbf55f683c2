import { table } from "../section.ts";
import type { AdapterName } from "./adapters/index.ts";
import { goalOf } from "./goals.ts";
import type { Samples } from "./rounds.ts";
import { SCENARIOS, type ScenarioName } from "./scenarios.ts";
import { median, ratios, spread } from "./statistics.ts";
import type { Wire } from "./wires.ts";

export const TITLES: Record<AdapterName, string> = {
  raw: "raw",
  sdk: "bare SDK",
  robota: "Robota",
  "session-memory": "Session, memory",
  "session-disk": "Session, disk",
  pi: "pi",
  "ai-sdk": "AI SDK",
};

export const WIRE_TITLES: Record<Wire, string> = {
  anthropic: "Anthropic Messages",
  "openai-chat": "OpenAI Chat Completions",
  "openai-responses": "OpenAI Responses",
};

/** A wire's runs: what each scenario costs, relative to the floor and to the bare SDK, and against the goals. */
export function wireReport(
  wire: Wire,
  adapters: readonly AdapterName[],
  runs: readonly Samples[],
): string {
  const scenarios = [...(runs[0]?.keys() ?? [])];
  const rows = scenarios.map((scenario) => [
    SCENARIOS[scenario].title,
    ...adapters
      .filter((adapter) => adapter !== "raw")
      .map((adapter) => spread(relative(runs, scenario, adapter, "raw"))),
  ]);
  const titles = adapters.filter((adapter) => adapter !== "raw").map((adapter) => TITLES[adapter]);
  const costs = scenarios.map((scenario) => [
    `${SCENARIOS[scenario].title}, a ${SCENARIOS[scenario].unit}`,
    ...adapters.map((adapter) => micros(median(all(runs, scenario, adapter)))),
  ]);
  const goals = goalRows(wire, adapters, runs);
  return [
    `### ${WIRE_TITLES[wire]}`,
    "CPU time in microseconds (medians):",
    table([["", ...adapters.map((adapter) => TITLES[adapter])], ...costs]),
    "CPU time as a ratio to `raw`:",
    table([["", ...titles], ...rows]),
    ...(goals.length > 0
      ? [
          "CPU time as a ratio to the bare SDK; a goal counts when the worst run meets it:",
          table([["", "", "all runs", "worst run", "goal", ""], ...goals]),
        ]
      : []),
  ].join("\n\n");
}

function goalRows(
  wire: Wire,
  adapters: readonly AdapterName[],
  runs: readonly Samples[],
): string[][] {
  return [...(runs[0]?.keys() ?? [])].flatMap((scenario) =>
    adapters.flatMap((adapter) => {
      const goal = goalOf(adapter, scenario, wire);
      if (goal === undefined) return [];
      const worst = Math.max(
        ...runs.map((run) => median(relative([run], scenario, adapter, "sdk"))),
      );
      return [
        [
          SCENARIOS[scenario].title,
          TITLES[adapter],
          spread(relative(runs, scenario, adapter, "sdk")),
          worst.toFixed(2),
          `≤ ${goal}`,
          worst <= goal ? "met" : `missed by ${Math.round((worst / goal - 1) * 100)} %`,
        ],
      ];
    }),
  );
}

function all(runs: readonly Samples[], scenario: ScenarioName, adapter: AdapterName): number[] {
  return runs.flatMap((run) => (run.get(scenario)?.get(adapter) ?? []).map(({ cpu }) => cpu));
}

/** By round; runs without the adapter have none. */
export function relative(
  runs: readonly Samples[],
  scenario: ScenarioName,
  adapter: AdapterName,
  base: AdapterName,
): number[] {
  return runs.flatMap((run) => ratios(all([run], scenario, adapter), all([run], scenario, base)));
}

function micros(value: number): string {
  return value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString("en");
}
