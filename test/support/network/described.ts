import { openApiDocument } from "../../../packages/runtime/src/transports/http/describe.ts";
import type { JsonObject, JsonValue } from "../../../packages/runtime/src/messages/message.ts";

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object at a path inside of another one; an empty one where there is none. */
export function at(value: JsonValue, ...path: string[]): JsonObject {
  let node: JsonValue | undefined = value;
  for (const key of path) node = isObject(node) ? node[key] : undefined;
  return isObject(node) ? node : {};
}

/** A schema that allows only the described fields. */
function closed(value: JsonValue, isBranch = false): JsonValue {
  if (Array.isArray(value)) return value.map((item) => closed(item, isBranch));
  if (!isObject(value)) return value;
  const hasBranches = Array.isArray(value["anyOf"]);
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      closed(inner, key === "anyOf" && isObject(value["properties"])),
    ]),
  );
  if (isBranch || !isObject(value["properties"]) || typeof value["type"] !== "string") return copy;
  if (Object.hasOwn(value, "additionalProperties")) return copy;
  return { ...copy, [hasBranches ? "unevaluatedProperties" : "additionalProperties"]: false };
}

/** The OpenAPI document of `httpTransport`. */
export const document = await openApiDocument();
const strict = closed(at(document, "components"));

/** A JSON Schema validator, as `@cfworker/json-schema` has it, which only the runtime's own tests can import. */
type Validator = new (
  schema: JsonObject,
  draft: "2020-12",
  shortCircuit: boolean,
) => { validate(value: unknown): { errors: { instanceLocation: string; error: string }[] } };

/** Finds the problems of a value by a schema of the document; a field that is not described is one. */
export function problemFinder(Schema: Validator): (schema: JsonValue, value: unknown) => string[] {
  return (schema, value) => {
    const whole = closed(schema);
    if (!isObject(whole)) return ["no schema"];
    return new Schema({ ...whole, components: strict }, "2020-12", false)
      .validate(value)
      .errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
  };
}
