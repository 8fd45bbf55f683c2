import type { ChildProcess } from "node:child_process";
import type { AdapterName } from "./adapters/index.ts";
import { answer, start, stop } from "./processes.ts";
import type { Sample, ScenarioName } from "./scenarios.ts";
import type { Wire } from "./wires.ts";

export interface Plan {
  wire: Wire;
  adapters: readonly AdapterName[];
  scenarios: readonly ScenarioName[];
  rounds: number;
  /** The server's base URL. */
  root: string;
}

/** By scenario and adapter: the samples, the one at each place taken in the same round. */
export type Samples = Map<ScenarioName, Map<AdapterName, Sample[]>>;

/** Rounds that do not count: the compiler is still at work. */
const WARM_UP = 2;

/**
 * One run: fresh processes, then rounds in which each of them takes every sample once. Neighbours in a round share what
 * the machine does at that moment, and the order turns around from round to round.
 */
export async function measure({ wire, adapters, scenarios, rounds, root }: Plan): Promise<Samples> {
  const workers = new Map<AdapterName, ChildProcess>();
  for (const adapter of adapters) {
    const worker = start("worker.ts", [adapter, wire, root], {
      flags: ["--expose-gc"],
    });
    workers.set(adapter, worker);
    await answer(worker);
  }
  const samples: Samples = new Map();
  for (const scenario of scenarios) {
    const taken = new Map(adapters.map((adapter): [AdapterName, Sample[]] => [adapter, []]));
    samples.set(scenario, taken);
    for (let round = 1 - WARM_UP; round <= rounds; round++) {
      for (const adapter of round % 2 === 0 ? adapters : adapters.toReversed()) {
        const sample = await take(workers.get(adapter), scenario, `${adapter} on ${wire}`);
        if (round > 0) taken.get(adapter)?.push(sample);
      }
    }
  }
  await Promise.all(Array.from(workers.values(), stop));
  return samples;
}

async function take(
  worker: ChildProcess | undefined,
  scenario: ScenarioName,
  who: string,
): Promise<Sample> {
  if (!worker) throw new Error(`${who} was not started`);
  worker.send(scenario);
  const { sample, error } = await answer<{ sample?: Sample; error?: string }>(worker);
  if (!sample) throw new Error(`${who}, ${scenario}: ${error}`);
  return sample;
}
