// Writes docs/session-format.schema.json from the schemas that validate imported sessions.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eventSchema } from "../../packages/runtime/src/session/transfer/check.ts";

const file = join(import.meta.dirname, "../../docs/session-format.schema.json");
await writeFile(file, `${JSON.stringify(eventSchema(), null, 2)}\n`);
