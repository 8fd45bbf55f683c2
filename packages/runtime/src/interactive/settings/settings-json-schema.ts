import * as z from "zod/mini";
import type { JsonObject } from "../../messages/message.ts";
import { SETTINGS } from "./settings-schema.ts";

/**
 * The JSON Schema of a settings file, for editors. Parts that it leaves open, such as hooks and rules, are validated by
 * the reader.
 */
export function settingsJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(SETTINGS, { unrepresentable: "any", io: "input" });
  const { "~standard": _, ...plain } = schema;
  return { title: "Settings of Robota", ...plain } as JsonObject;
}
