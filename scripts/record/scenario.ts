// Records the scenario that every host must reproduce: `node --conditions=@robota/source scripts/record/scenario.ts`,
// then read the difference.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { withMemory } from "../../test/hosts/memory.ts";
import { runScenario } from "../../test/support/scenario.ts";

await withMemory(async (host) => {
  const record = await runScenario(host);
  writeFileSync(
    join(import.meta.dirname, "../../test/scenario.json"),
    `${JSON.stringify(record, null, 2)}\n`,
  );
});
