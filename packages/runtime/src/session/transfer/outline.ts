import { SessionError } from "../../errors.ts";
import { mayNameSecret } from "../../messages/redact.ts";
import type { Redactor } from "../../messages/redactor.ts";
import { isWithin, normalizePath } from "../../ports/path.ts";
import type { Storage } from "../../ports/storage.ts";
import { checksumOf, decodeFolded, headOf, readRecord, unlessDamaged } from "../log/codec.ts";
import type { SessionEvent } from "../log/events.ts";
import { foreignPlaces, RecordOrder } from "../log/record-order.ts";
import { sessionKey } from "../store/storage-keys.ts";

/** Facts about a session that are needed before its events are read one by one. */
export interface Outline {
  cwd: string;
  name: string | undefined;
  provider: string;
  model: string;
  createdAt: number;
  updatedAt: number;
  hasOwnFiles: boolean;
  /** Number of unreadable records. */
  damagedRecords: number;
  /** Positions in the log of records that are not part of the session. */
  foreign: ReadonlySet<number>;
  /** Absolute paths that it has changed, in its working directory. */
  changed: Set<string>;
  outside: Set<string>;
  /** Digests of contents that its events refer to. */
  payloads: Set<string>;
}

const decoder = new TextDecoder();
const NONE: ReadonlySet<number> = new Set();
/** Events that an outline decodes, not only for their time. */
const NOTED = new Set<string>(["session_init", "name_change", "model_change", "files_before"]);

/**
 * Reads a session's log completely; `redactor` learns the secrets that its events name, anywhere in the log.
 * @throws {SessionError} `NOT_FOUND`, `LOG_VERSION`
 */
export async function readOutline(
  storage: Storage,
  sessionId: string,
  redactor: Redactor,
): Promise<Outline> {
  const order = new RecordOrder();
  const outline = await readThrough({ storage, sessionId, redactor }, NONE, order);
  if (order.isKept) return outline;
  const foreign = await foreignPlaces(storage, sessionKey(sessionId));
  return foreign.size > 0 ? readThrough({ storage, sessionId, redactor }, foreign, order) : outline;
}

async function readThrough(
  { storage, sessionId, redactor }: { storage: Storage; sessionId: string; redactor: Redactor },
  foreign: ReadonlySet<number>,
  order: RecordOrder,
): Promise<Outline> {
  const outline: Outline = {
    cwd: "/",
    name: undefined,
    provider: "unknown",
    model: "unknown",
    createdAt: 0,
    updatedAt: 0,
    hasOwnFiles: false,
    damagedRecords: 0,
    foreign,
    changed: new Set(),
    outside: new Set(),
    payloads: new Set(),
  };
  let events = 0;
  const paths = new Set<string>();
  for await (const { seq: place, value } of storage.read(sessionKey(sessionId))) {
    order.see(value);
    if (foreign.has(place)) continue;
    const event = unlessDamaged(() => noted(value, sessionId));
    if (event) note(outline, event, paths);
    else outline.damagedRecords += 1;
    if (mayNameSecret(decoder.decode(value)))
      redactor.learn(unlessDamaged(() => readRecord(value).fields));
    events += 1;
  }
  if (events === 0) {
    throw new SessionError("NOT_FOUND", `There is no session ${sessionId}`, {
      hint: "List the sessions with listSessions(platform.storage).",
    });
  }
  for (const path of paths)
    (isWithin(outline.cwd, path) && path !== outline.cwd ? outline.changed : outline.outside).add(
      path,
    );
  return outline;
}

/** Decodes just the time of an event irrelevant to the outline. Throws as `decodeRecord`. */
function noted(bytes: Uint8Array, sessionId: string): { time: number; event?: SessionEvent } {
  const head = headOf(bytes);
  // A valid checksum makes decoding unnecessary, and most records are long.
  if (head && !NOTED.has(head.type) && checksumOf(bytes) !== undefined) return head;
  const event = decodeFolded(bytes, sessionId);
  return { time: event.time, event };
}

function note(
  outline: Outline,
  { time, event }: ReturnType<typeof noted>,
  paths: Set<string>,
): void {
  outline.createdAt ||= time;
  outline.updatedAt = time;
  switch (event?.type) {
    case "session_init":
      outline.cwd = normalizePath(event.cwd);
      outline.provider = event.provider;
      outline.model = event.model;
      outline.hasOwnFiles = event.files === "overlay";
      return;
    case "model_change":
      outline.provider = event.provider;
      outline.model = event.model;
      return;
    case "name_change":
      outline.name = event.name;
      return;
    case "files_before":
      for (const { path, before } of event.files) {
        paths.add(normalizePath(path));
        if (before && "sha256" in before) outline.payloads.add(before.sha256);
      }
      return;
    default:
      return;
  }
}
