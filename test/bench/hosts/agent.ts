// The entry that a page and a worker are bundled from: the adapters that need nothing of Node, and the scenarios.
import type { Adapter } from "../peers/adapter.ts";
import { raw } from "../peers/adapters/raw.ts";
import { robota, sessionInMemory } from "../peers/adapters/robota.ts";
import { sdk } from "../peers/adapters/sdk.ts";
import { type Scenario, SCENARIOS, type ScenarioName } from "../peers/scenarios.ts";
import type { Wire } from "../peers/wires.ts";

const ADAPTERS = {
  raw,
  sdk,
  robota,
  "session-memory": sessionInMemory,
} satisfies Record<string, Adapter>;

export type HostAdapterName = keyof typeof ADAPTERS;

export interface Work {
  adapter: HostAdapterName;
  wire: Wire;
  scenario: ScenarioName;
  /** The base URL of the model services. */
  root: string;
  /** How often it is done. */
  goes: number;
}

/** Does it and tells nothing: what it cost is seen from outside, since a worker's clock stands still while it computes. */
export async function work({ adapter, wire, scenario, root, goes }: Work): Promise<void> {
  const connect = await ADAPTERS[adapter].load(wire);
  const subject: Scenario = SCENARIOS[scenario];
  const client = connect({ baseURL: root + subject.path, tools: subject.tools ?? false });
  for (let done = 0; done < goes; done++) await subject.run(client, undefined);
  await client.dispose?.();
}
