import type { Message, MessageMetadata, MetadataValue } from "./message.ts";

/** A message for `JSON.stringify`: what JSON would turn into another type is written so that it can be read back. */
export function messageForJson(message: Message): Message {
  if (!message.metadata) return message;
  return { ...message, metadata: mapValues(message.metadata, encodeValue) };
}

/** What `JSON.parse` made of a message from `messageForJson`, with its dates again. */
export function messageFromJson(parsed: Message): Message {
  const message = { ...parsed, timestamp: new Date(parsed.timestamp) };
  if (parsed.metadata) message.metadata = mapValues(parsed.metadata, decodeValue);
  return message;
}

/** A date is the only value of metadata that can't be told from another type in JSON. */
function encodeValue(value: MetadataValue): MetadataValue {
  return value instanceof Date ? { $date: value.getTime() } : value;
}

function decodeValue(value: MetadataValue): MetadataValue {
  return typeof value === "object" && "$date" in value && typeof value.$date === "number"
    ? new Date(value.$date)
    : value;
}

function mapValues(
  metadata: MessageMetadata,
  map: (value: MetadataValue) => MetadataValue,
): MessageMetadata {
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, map(value)]));
}
