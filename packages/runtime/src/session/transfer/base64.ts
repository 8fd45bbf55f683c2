import { isBase64 } from "../../bytes.ts";
import { invalid } from "./lines.ts";

/** @throws {ValidationError} for anything but Base64 without line breaks */
export function requireBase64(data: unknown): Uint8Array {
  if (typeof data !== "string" || data.length % 4 !== 0 || !isBase64(data))
    throw invalid("data that is not Base64");
  return Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
}
