import { invalid } from "./lines.ts";

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** @throws {ValidationError} for anything but Base64 without line breaks */
export function requireBase64(data: unknown): Uint8Array {
  if (typeof data !== "string" || data.length % 4 !== 0 || !BASE64.test(data))
    throw invalid("data that is not Base64");
  return Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
}
