import type { Readable } from "@robota/react/store";
import { createStoredCell } from "../state/preferences.ts";
import { type Connection, isConnection, OFFLINE } from "./connection.ts";

interface Stored {
  /** One for each provider. */
  all: readonly Connection[];
  /** Provider of new sessions. */
  chosen: string;
}

const isStored = (value: unknown): value is Stored => {
  if (typeof value !== "object" || value === null) return false;
  const { all, chosen } = value as Record<string, unknown>;
  return Array.isArray(all) && all.every(isConnection) && typeof chosen === "string";
};

const stored = createStoredCell<Stored>(
  "robota.connections",
  { all: [], chosen: OFFLINE.provider },
  isStored,
  true,
);

/** Changes with the page's connections. */
export const connectionsChanged: Pick<Readable<unknown>, "subscribe" | "get"> = stored;

/** The connections that a person has set up, without the guide. */
export function savedConnections(): readonly Connection[] {
  return stored.get().all;
}

/** The connection of a provider, with that model; nothing for a provider that was never set up here. */
export function connectionOf(provider: string, model?: string): Connection | undefined {
  const found = [OFFLINE, ...savedConnections()].find((each) => each.provider === provider);
  return found && model !== undefined ? withModel(found, model) : found;
}

/** The connection of new sessions. */
export function chosenConnection(): Connection {
  return connectionOf(stored.get().chosen) ?? OFFLINE;
}

/** Keeps a connection, and chooses it for new sessions. */
export function chooseConnection(connection: Connection): void {
  const others = savedConnections().filter(({ provider }) => provider !== connection.provider);
  const isGuide = connection.provider === OFFLINE.provider;
  stored.set({
    all: isGuide ? others : [...others, connection],
    chosen: connection.provider,
  });
}

function withModel(connection: Connection, model: string): Connection {
  if (model === connection.model) return connection;
  // The window belongs to the other model.
  return { ...connection, model, contextWindow: undefined };
}
