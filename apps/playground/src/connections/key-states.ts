import { createCell } from "@robota/react/store";

/** The state of a connection's key before its next request. */
export type KeyState = "not-needed" | "ready" | "locked" | "missing";

/** States of the keys by provider, for parts that must not load the keys themselves. Empty until they are loaded. */
export const keyStates = createCell<ReadonlyMap<string, KeyState>>(new Map());
