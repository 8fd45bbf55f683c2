// Writes docs/settings.schema.json from the schemas by which settings files are checked.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { settingsJsonSchema } from "../../packages/runtime/src/interactive/settings/settings-json-schema.ts";

const file = join(import.meta.dirname, "../../docs/settings.schema.json");
await writeFile(file, `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`);
