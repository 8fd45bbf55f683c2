// One adapter on one wire, in a process of its own that stays warm; measures what the parent asks for.
import { ADAPTERS, type AdapterName } from "./adapters/index.ts";
import { Bench, type ScenarioName } from "./scenarios.ts";
import type { Wire } from "./wires.ts";

const [, , adapter, wire, root = ""] = process.argv;
const connect = await ADAPTERS[adapter as AdapterName].load(wire as Wire);
const bench = new Bench(connect, root);

process.on("message", (scenario: ScenarioName) => {
  bench.sample(scenario).then(
    (sample) => process.send?.({ sample }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on("disconnect", () => process.exit());
process.send?.({});
