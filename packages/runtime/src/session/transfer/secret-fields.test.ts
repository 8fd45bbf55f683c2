import { describe, expect, it } from "vitest";
import { MemoryStorage } from "../../virtual/memory-storage.ts";
import { encodeEvents } from "../log/encode-events.ts";
import type { SessionEvent } from "../log/events.ts";
import { logName } from "../trace/log-names.ts";
import { StorageSessionLogger } from "../trace/storage-logger.ts";
import { DEFINITIONS, EVENT_SCHEMAS } from "./event-schemas.ts";
import { exportSession } from "./export-session.ts";
import { isObject } from "./safe-events.ts";
import { sessionKey } from "../store/storage-keys.ts";

/** A recognizable key, and a password that only its field's name reveals. */
const KEY = "sk-ant-api03-abcdefgh1234";
const PASSWORD = "correct horse battery";

const secretArgs = {
  password: PASSWORD,
  command: `curl -H 'x-api-key: ${KEY}' -u me:${PASSWORD}`,
  list: [{ token: PASSWORD }, KEY],
};

type Fields = Record<string, unknown>;

/** Every value of a schema's shape that differs in its fields, with secrets in all texts. */
function samples(schema: Fields): unknown[] {
  const { $ref, anyOf, const: constant, enum: values, type, properties, items } = schema;
  if (typeof $ref === "string") return samples(definition($ref));
  if (constant !== undefined) return [constant];
  if (Array.isArray(values)) return [values[0]];
  const shape = isObject(properties) ? samplesOfFields(properties) : undefined;
  // The `anyOf` of deltas only says which of their fields are present.
  const choices = (Array.isArray(anyOf) ? anyOf : [])
    .filter(isObject)
    .filter(({ required, type: kind }) => kind !== undefined || required === undefined);
  if (choices.length > 0) return choices.flatMap(samples);
  if (shape) return shape;
  if (type === "array") return [isObject(items) ? samples(items) : []];
  if (type === "object") return [secretArgs];
  if (type === "integer" || type === "number") return [1];
  if (type === "boolean") return [true];
  if (Array.isArray(type) || type === "string") return [textOf(schema)];
  return [{ note: secretArgs }];
}

function textOf({ format, pattern }: Fields): string {
  if (format === "date-time") return "2026-11-23T00:00:00.000Z";
  return pattern === undefined ? `The key is ${KEY}, the password ${PASSWORD}.` : "0".repeat(64);
}

function samplesOfFields(properties: Fields): unknown[] {
  const choices = Object.entries(properties).map(([name, schema]): [string, unknown[]] => [
    name,
    isObject(schema) ? samples(schema) : [],
  ]);
  const most = Math.max(1, ...choices.map(([, values]) => values.length));
  return Array.from({ length: most }, (_, index) =>
    Object.fromEntries(choices.map(([name, values]) => [name, values[index % values.length]])),
  );
}

function definition(reference: string): Fields {
  const found = DEFINITIONS[reference.replace("#/$defs/", "")];
  if (!isObject(found)) throw new Error(`${reference} is not defined`);
  return found;
}

/** Bytes of images and signatures are opaque: a key in them is chance. A record of one delta has no list of them. */
const LEFT_OUT = new Set(["signature", "deltas", "ago", "prev"]);

function withoutOpaque(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOpaque);
  if (!isObject(value)) return value;
  const isBytes = value["type"] === "image" || value["type"] === "file";
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !(isBytes && name === "data") && !LEFT_OUT.has(name))
      .map(([name, item]) => [name, withoutOpaque(item)]),
  );
}

const kinds = Object.keys(EVENT_SCHEMAS) as SessionEvent["type"][];

function eventsOf(type: SessionEvent["type"]): SessionEvent[] {
  // Names the password after the event: a secret named later in a log counts for all of it.
  const call = { type: "note", kind: "call", data: secretArgs };
  const bodies = samples(EVENT_SCHEMAS[type]).map((sample) => ({
    type,
    ...(withoutOpaque(sample) as object),
  }));
  return [...bodies, call].map(
    (body, index) =>
      ({ v: 1, seq: index + 1, sessionId: "s", time: 1, ...body }) as unknown as SessionEvent,
  );
}

async function textIn(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream).text();
}

describe.each(kinds)("%s with secrets in every field", (type) => {
  it("exports without them", async () => {
    const storage = new MemoryStorage();
    const records = encodeEvents(eventsOf(type)).map(({ bytes }) => bytes);
    await storage.append(sessionKey("s"), records);
    const text = await textIn(exportSession(storage, "s", { grants: true }));
    expect(text).toContain(`"type":"${type}"`);
    expect(text).not.toContain(KEY);
    expect(text).not.toContain(PASSWORD);
  });

  it("logs without them", async () => {
    const storage = new MemoryStorage();
    const logger = new StorageSessionLogger(storage);
    for (const event of eventsOf(type).toReversed()) logger.log("s", event.type, { event });
    await logger.flush();
    let text = "";
    for (const key of await storage.keys("")) {
      text += new TextDecoder().decode(await storage.get(key));
    }
    for await (const { value } of storage.read(logName("s")))
      text += new TextDecoder().decode(value);
    expect(text).toContain(type);
    expect(text).not.toContain(KEY);
    expect(text).not.toContain(PASSWORD);
  });
});
