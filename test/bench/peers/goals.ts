import type { AdapterName } from "./adapters/index.ts";
import type { ScenarioName } from "./scenarios.ts";
import type { Wire } from "./wires.ts";

type Goals = Partial<Record<AdapterName, Partial<Record<ScenarioName, [number, number]>>>>;

/** CPU as a ratio to the bare SDK at the most: on Anthropic Messages, on OpenAI Chat Completions. */
const GOALS: Goals = {
  robota: {
    turn: [1.05, 0.65],
    burst: [0.65, 0.45],
    live: [1.05, 0.95],
    tool: [0.95, 0.85],
    history: [0.75, 0.7],
    sessions: [0.85, 0.45],
  },
  "session-memory": {
    turn: [1.2, 0.8],
    burst: [0.8, 0.55],
    live: [1.1, 1.0],
    tool: [1.15, 1.0],
    history: [0.85, 0.8],
    sessions: [1.0, 0.6],
  },
};

export function goalOf(
  adapter: AdapterName,
  scenario: ScenarioName,
  wire: Wire,
): number | undefined {
  const goal = GOALS[adapter]?.[scenario];
  if (wire === "openai-responses") return undefined;
  return goal?.[wire === "anthropic" ? 0 : 1];
}
