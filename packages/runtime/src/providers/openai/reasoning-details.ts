import type { JsonObject, JsonValue } from "../../messages/message.ts";
import { object, text } from "../json.ts";

const TYPE = "reasoning_details";
/** Fields that come in pieces. */
const GROWING = ["text", "summary", "data"] as const;

/** A router's record of another service's thoughts, collected from its pieces to be sent back unchanged. */
export class ReasoningDetails {
  readonly #details: JsonObject[] = [];

  add(pieces: readonly JsonValue[]): void {
    for (const piece of pieces.map(object)) {
      const last = this.#details.at(-1);
      const goesOn =
        last !== undefined && last["type"] === piece["type"] && last["index"] === piece["index"];
      if (goesOn) extend(last, piece);
      else this.#details.push({ ...piece });
    }
  }

  /** The data for the message; `undefined` without any. */
  whole(): JsonObject | undefined {
    return this.#details.length > 0 ? { type: TYPE, details: this.#details } : undefined;
  }
}

/** Reads the data of `ReasoningDetails.whole` from a message. */
export function detailsOf(data: JsonValue): JsonValue | undefined {
  const { type, details } = object(data);
  return type === TYPE ? details : undefined;
}

function extend(detail: JsonObject, piece: JsonObject): void {
  for (const [field, value] of Object.entries(piece)) {
    const grows = GROWING.some((name) => name === field);
    if (value !== null) detail[field] = grows ? text(detail[field]) + text(value) : value;
  }
}
