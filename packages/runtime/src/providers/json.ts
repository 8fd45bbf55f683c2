import type { JsonObject, JsonValue } from "../messages/message.ts";

// Accessors for services' JSON: a field of an unexpected type counts as absent.

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

export function object(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {};
}

export function list(value: unknown): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
