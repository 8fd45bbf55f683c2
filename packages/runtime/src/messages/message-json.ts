import type { Message, MessageMetadata, MetadataValue } from "./message.ts";

const DATE = "$date";

/**
 * Prepares a message for `JSON.stringify`: values of types that JSON lacks are encoded so that they can be read back.
 */
export function messageForJson(message: Message): Message {
  if (!message.metadata) return message;
  return { ...message, metadata: mapValues(message.metadata, encodeValue) };
}

/** Restores a message from parsed JSON of `messageForJson`, including its dates. */
export function messageFromJson(parsed: Message): Message {
  const message = { ...parsed, timestamp: new Date(parsed.timestamp) };
  if (parsed.metadata) message.metadata = mapValues(parsed.metadata, decodeValue);
  return message;
}

/** A date is the only metadata value that JSON can't represent; names that look like its marker are escaped. */
function encodeValue(value: MetadataValue): MetadataValue {
  if (value instanceof Date) return { [DATE]: value.getTime() };
  return isCounts(value) ? renamed(value, (key) => (key.startsWith("$") ? `$${key}` : key)) : value;
}

function decodeValue(value: MetadataValue): MetadataValue {
  if (!isCounts(value)) return value;
  // JSON has no number for the time of an invalid date.
  if (Object.hasOwn(value, DATE)) return new Date(value[DATE] ?? Number.NaN);
  return renamed(value, (key) => (key.startsWith("$$") ? key.slice(1) : key));
}

function isCounts(value: MetadataValue): value is Record<string, number> {
  return typeof value === "object" && !Array.isArray(value) && !(value instanceof Date);
}

function renamed(
  counts: Record<string, number>,
  name: (key: string) => string,
): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([key, count]) => [name(key), count]));
}

function mapValues(
  metadata: MessageMetadata,
  map: (value: MetadataValue) => MetadataValue,
): MessageMetadata {
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, map(value)]));
}
