import { defined } from "../../defined.ts";
import type { JsonObject } from "../../messages/message.ts";

/** Path of the components of an OpenAPI document. */
export const COMPONENTS = "#/components/schemas/";

/** A schema of the document's `components`. */
export function component(name: string): JsonObject {
  return { $ref: `${COMPONENTS}${name}` };
}

/** Fields that are not named may come with a later version. A name that ends in `?` may be missing. */
export function answer(fields: Record<string, JsonObject>, description?: string): JsonObject {
  const names = Object.keys(fields);
  const required = names.filter((name) => !name.endsWith("?"));
  return {
    type: "object",
    ...defined({ description }),
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, schema]) => [name.replace(/\?$/, ""), schema]),
    ),
    ...defined({ required: required.length > 0 ? required : undefined }),
  };
}
