import * as z from "../../../zod.ts";
import type { JsonObject } from "../../../messages/message.ts";
import { BODIES } from "./schemas.ts";

/** The JSON Schema of each operation's body, for descriptions. */
export function bodySchemas(): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    Object.entries(BODIES).map(([operation, body]) => {
      // The dialect is the same for every schema of a document, which says it.
      const { $schema: _, "~standard": __, ...schema } = z.toJSONSchema(body);
      return [operation, schema as JsonObject];
    }),
  );
}
