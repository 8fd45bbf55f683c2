import type { ExternalPayloadReference } from "./entry.ts";
import { isObject } from "./lines.ts";

const SHA256 = /^[0-9a-f]{64}$/;
const PATH = /^[A-Za-z0-9_-]{1,64}\.payloads\/([0-9a-f]{64})\.json$/;

/** True for a reference to a payload as this version writes them. Its path is for people and is never followed. */
export function isSoundReference(value: unknown): value is ExternalPayloadReference {
  if (!isObject(value)) return false;
  const { kind, encoding, sha256, byteLength, relativePath } = value;
  return (
    kind === "external-payload" &&
    encoding === "json" &&
    typeof sha256 === "string" &&
    SHA256.test(sha256) &&
    Number.isSafeInteger(byteLength) &&
    typeof relativePath === "string" &&
    PATH.exec(relativePath)?.[1] === sha256
  );
}
