import type { JsonObject } from "../../messages/message.ts";
import { SESSION_FORMAT, type SessionEventType } from "../log/events.ts";
import { storedFields, type StoredFields } from "../log/codec.ts";
import { DEFINITIONS, EVENT_SCHEMAS, HEADER_SCHEMA } from "./event-schemas.ts";
import { invalid } from "./lines.ts";
import { isObject } from "./safe-events.ts";

/** A validator for untrusted events. */
export interface EventCheck {
  /**
   * Returns the migrated record; `undefined` for a type unknown to this version.
   * @throws {ValidationError} @throws {SessionError} `LOG_VERSION`
   */
  record(value: unknown): StoredFields | undefined;
}

/** Loads the validator, which only imports need. */
export async function createEventCheck(): Promise<EventCheck> {
  const { Validator } = await import("@cfworker/json-schema");
  const compile = (schema: JsonObject) =>
    new Validator({ ...schema, $defs: DEFINITIONS }, "2020-12", true);
  const header = compile(HEADER_SCHEMA);
  const validators = new Map<string, ReturnType<typeof compile>>();
  const validatorOf = (type: SessionEventType): ReturnType<typeof compile> => {
    const validator = validators.get(type) ?? compile(EVENT_SCHEMAS[type]);
    validators.set(type, validator);
    return validator;
  };
  return {
    record(value) {
      const record = isObject(value) ? storedFields(value) : undefined;
      if (!record) throw invalid("an event without v, seq or type");
      const { valid, errors } = header.validate(record);
      if (!valid) throw wrong(record, errors);
      if (!isKnown(record.type)) return undefined;
      const body = validatorOf(record.type).validate(record);
      if (!body.valid) throw wrong(record, body.errors);
      return record;
    },
  };
}

function isKnown(type: string): type is SessionEventType {
  return Object.hasOwn(EVENT_SCHEMAS, type);
}

function wrong(
  { seq, type }: StoredFields,
  errors: readonly { instanceLocation: string; error: string; keyword: string }[],
): Error {
  const { instanceLocation = "#", error = "" } = errors.at(-1) ?? {};
  return invalid(`the event ${seq} (${type}): ${instanceLocation.slice(1) || "/"}: ${error}`);
}

/** The schema of an event as a standalone document. */
export function eventSchema(): JsonObject {
  const types = Object.keys(EVENT_SCHEMAS);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `An event of a session, format ${SESSION_FORMAT}`,
    ...HEADER_SCHEMA,
    anyOf: [
      ...types.map((type) => ({
        $ref: `#/$defs/events/${type}`,
        properties: { type: { const: type } },
      })),
      // Lets types of later versions pass.
      { properties: { type: { not: { enum: types } } } },
    ],
    $defs: { ...DEFINITIONS, events: { ...EVENT_SCHEMAS } },
  };
}
