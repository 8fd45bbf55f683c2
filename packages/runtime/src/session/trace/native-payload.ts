import type { JsonValue } from "../../messages/message.ts";
import type { ProviderNativeRawPayload } from "../../providers/provider.ts";
import type { TextPiece } from "./ordered-entries.ts";

/** Fields in which services stream the pieces of a text. */
const PIECES = new Set([
  "arguments",
  "content",
  "delta",
  "input",
  "partial_json",
  "reasoning",
  "reasoning_content",
  "refusal",
  "text",
  "thinking",
]);

/** A placeholder for a list in a request: the conversation and the tools, which are already logged. */
interface Omitted {
  kind: "omitted";
  length: number;
}

/** A request without its lists, so that its entry does not grow with the conversation. */
export function requestForLog(payload: JsonValue): JsonValue {
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) return payload;
  const fields = Object.entries(payload).map(([name, value]) => [
    name,
    Array.isArray(value) ? ({ kind: "omitted", length: value.length } satisfies Omitted) : value,
  ]);
  return Object.fromEntries(fields) as JsonValue;
}

/** Splits an event of a stream into the event without pieces of text, and those pieces. `path`: its future position. */
export function splitPieces(
  { payload }: ProviderNativeRawPayload,
  path: readonly (string | number)[],
): { payload: JsonValue; pieces: TextPiece[] } {
  const pieces: TextPiece[] = [];
  return { payload: withoutPieces(payload, path, "", pieces), pieces };
}

/**
 * Removes the pieces; `stream` is the path of the value, with the indices by which services distinguish blocks and
 * calls.
 */
function withoutPieces(
  value: JsonValue,
  path: readonly (string | number)[],
  stream: string,
  pieces: TextPiece[],
): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      withoutPieces(item, [...path, index], `${stream}/${index}`, pieces),
    );
  }
  const here = `${stream}[${numberOf(value["index"])}${numberOf(value["output_index"])}]`;
  const fields = Object.entries(value).map(([name, item]): [string, JsonValue] => {
    if (typeof item !== "string" || !PIECES.has(name))
      return [name, withoutPieces(item, [...path, name], `${here}/${name}`, pieces)];
    pieces.push({ stream: `native${here}/${name}`, text: item, path: [...path, name] });
    return [name, ""];
  });
  return Object.fromEntries(fields);
}

function numberOf(value: JsonValue | undefined): string {
  return typeof value === "number" ? `#${value}` : "";
}
