import { defined } from "../../defined.ts";
import type { Storage } from "../../ports/storage.ts";
import { type ModelChoice, SESSION_FORMAT } from "../log/events.ts";
import type { SessionPlace } from "../log/notes.ts";
import type { SessionState } from "../state/state.ts";
import { writePending } from "./pending-headers.ts";
import { sessionKey } from "./storage-keys.ts";

/** The summary of a session in a list; stored beside its log, so that listing reads no log. */
export interface SessionHeader {
  v: number;
  id: string;
  name?: string | undefined;
  cwd: string;
  /** ISO 8601. */
  createdAt: string;
  updatedAt: string;
  /** The beginning of the first prompt. */
  preview: string;
  messageCount: number;
  provider: string;
  model: string;
  /** `waiting` for a person's answer, `open` while a turn runs (or was interrupted and not opened since). */
  state: "idle" | "open" | "waiting";
  /** The place at which it goes on, after a handover: here it can only be read. */
  handedOverTo?: SessionPlace | undefined;
  /** Fields of its record without a place in the log; omitted from lists. */
  record?: Record<string, unknown>;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function headerOf(id: string, state: SessionState, by: ModelChoice): SessionHeader {
  return defined({
    v: SESSION_FORMAT,
    id,
    name: state.name,
    cwd: state.cwd,
    createdAt: new Date(state.createdAt).toISOString(),
    updatedAt: new Date(state.updatedAt).toISOString(),
    preview: state.preview,
    messageCount: state.messageCount,
    ...by,
    state: state.handedOverTo
      ? "idle"
      : state.pendingRequests.size > 0
        ? "waiting"
        : state.turn
          ? "open"
          : "idle",
    handedOverTo: state.handedOverTo,
  });
}

/** Fields of a stored header that this version of the program has none of its own for. */
export type ForeignFields = Record<string, unknown>;

const NONE: ForeignFields = {};

/** Stores a header, keeping the fields that others have put in, which are read when omitted. Resolves to these. */
export async function saveHeader(
  storage: Storage,
  header: SessionHeader,
  foreign?: ForeignFields,
): Promise<ForeignFields> {
  const kept = foreign ?? foreignFields(await storedHeader(storage, header.id), header);
  const record = kept === NONE ? header : { ...kept, ...header };
  await storage.set(sessionKey(header.id), encoder.encode(JSON.stringify(record)));
  return kept;
}

function foreignFields(stored: SessionHeader | undefined, header: SessionHeader): ForeignFields {
  const others = Object.entries(stored ?? {}).filter(
    ([name]) => name !== "handedOverTo" && !Object.hasOwn(header, name),
  );
  return others.length === 0 ? NONE : Object.fromEntries(others);
}

/** A session's header with its record, or `undefined` when there is no readable one. */
export async function readHeader(storage: Storage, id: string): Promise<SessionHeader | undefined> {
  await writePending(storage);
  return storedHeader(storage, id);
}

async function storedHeader(storage: Storage, id: string): Promise<SessionHeader | undefined> {
  return parseHeader(await storage.get(sessionKey(id)));
}

/** Implements `listSessions`. */
export async function readHeaders(storage: Storage): Promise<SessionHeader[]> {
  await writePending(storage);
  const keys = await storage.keys("sessions/");
  const values = await Promise.all(keys.map((key) => storage.get(key)));
  return values
    .map(parseHeader)
    .filter((header) => header !== undefined)
    .map(withoutRecord)
    .sort((a, b) =>
      a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : a.id < b.id ? -1 : 1,
    );
}

export function withoutRecord(header: SessionHeader): SessionHeader {
  const { record: _, ...rest } = header;
  return rest;
}

function parseHeader(bytes: Uint8Array | undefined): SessionHeader | undefined {
  if (!bytes) return undefined;
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    const isHeader =
      typeof value === "object" && value !== null && "id" in value && "updatedAt" in value;
    return isHeader ? (value as SessionHeader) : undefined;
  } catch {
    // Ignores a damaged header: the log is the truth, and the header is rewritten at the session's next turn.
    return undefined;
  }
}
