import { createStoredCell } from "../state/preferences.ts";

const isAddresses = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

/** Addresses of the servers that were connected to. Never their tokens. */
export const servers = createStoredCell<readonly string[]>("robota.servers", [], isAddresses, true);
