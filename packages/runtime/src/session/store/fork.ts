import { defined } from "../../defined.ts";
import { SessionError } from "../../errors.ts";
import { unansweredCalls } from "../../messages/project.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import type { Storage } from "../../ports/storage.ts";
import { decodeFolded, decodePlaced, type FoldedRecord, unlessDamaged } from "../log/codec.ts";
import { encodeEvents } from "../log/encode-events.ts";
import type { SessionEventOf } from "../log/events.ts";
import { isNote } from "../log/notes.ts";
import type { FileBefore } from "../files/past-version.ts";
import { Payloads, payloadsKey } from "../files/payloads.ts";
import { RecordOrder } from "../log/record-order.ts";
import { headerOf, saveHeader } from "./header.ts";
import { SessionState } from "../state/state.ts";
import { soundRecords } from "../log/sound-records.ts";
import { overlayKey, sessionKey } from "./storage-keys.ts";

/** Number of records per write. */
const BATCH = 1_000;

export interface ForkOptions {
  from: string;
  to: string;
  /**
   * A checkpoint of `from`: the fork begins before its turn. Or an entry, by its `seq`: the fork begins after the last
   * complete step up to it. The session's end when omitted. File versions are recorded once a turn: a file changed on
   * both sides of an entry within a turn has the version of the turn's end in the fork.
   */
  at?: string | number | undefined;
  /** The files that `from` works on; the fork gets its own view of them. When omitted, it has no files of its own. */
  fs?: FileSystem | undefined;
}

/**
 * Creates a new session from a stored one's past, which stays unchanged: the log up to a point, the contents that it
 * refers to, and the files of that moment, as a copy-on-write view. Costs the log and the files that the session has
 * changed.
 * @throws {SessionError} `NOT_FOUND`
 */
export async function forkStored(
  storage: Storage,
  { from, to, at, fs }: ForkOptions,
): Promise<void> {
  const { init, records, state, whole, places } = await readPast(storage, from, at);
  const end = typeof at === "string" ? pointOf(state, at) : whole;
  if (end < init.seq) throw nothingThere(from, end);
  const origin = { sessionId: from, seq: end };
  const first: SessionEventOf<"session_init"> = {
    ...init,
    sessionId: to,
    origin,
    ...defined({ files: fs ? ("overlay" as const) : undefined }),
  };
  await copyLog(storage, payloadsKey(from), payloadsKey(to));
  if (fs) await copyFiles(storage, fs, { from, to, state, end, places });
  const kept = records.filter(({ seq }) => seq <= end || seq <= init.seq);
  for (let start = 0; start < kept.length; start += BATCH) {
    const bytes = kept
      .slice(start, start + BATCH)
      .flatMap((record) =>
        record.seq === init.seq ? encodeEvents([first]).map(({ bytes }) => bytes) : record.bytes,
      );
    await storage.append(sessionKey(to), bytes);
  }
  const past = kept.length === records.length ? state : stateOf(kept, from);
  const { provider, model } = past.model ?? init;
  await saveHeader(storage, headerOf(to, past, { provider, model }));
}

function nothingThere(sessionId: string, seq: number): SessionError {
  return new SessionError(
    "NOT_FOUND",
    `Session ${sessionId} has no complete step up to entry ${seq}`,
    {
      hint: "Fork at a later entry.",
    },
  );
}

/** A record without its event: a long session has too many to hold them all. */
interface StoredRecord {
  seq: number;
  bytes: Uint8Array;
}

interface Past {
  init: SessionEventOf<"session_init">;
  records: StoredRecord[];
  state: SessionState;
  /**
   * The last number up to which every tool call has its result, and not after the requested entry: a running turn is
   * cut after its last complete step.
   */
  whole: number;
  /** Number of records in the log, including unreadable ones. */
  places: number;
}

/** Unreadable records stay with the original. */
async function readPast(
  storage: Storage,
  sessionId: string,
  at: string | number | undefined,
): Promise<Past> {
  const values: Uint8Array[] = [];
  const order = new RecordOrder();
  for await (const { value } of storage.read(sessionKey(sessionId))) {
    values.push(value);
    order.see(value);
  }
  const places = values.length;
  const counting = order.isKept
    ? readable(values, sessionId)
    : soundRecords(values, sessionId).records;
  const records: StoredRecord[] = [];
  let init: SessionEventOf<"session_init"> | undefined;
  const state = new SessionState();
  const until = typeof at === "number" ? at : Infinity;
  let whole = 0;
  for (const { event, bytes } of counting) {
    state.apply(event);
    records.push({ seq: event.seq, bytes });
    // Hooks may have run before it.
    if (event.type === "session_init") init ??= event;
    const isStep = event.type === "user_message" || event.type === "tool_end";
    // A fork goes on by itself, wherever its original does.
    if (isNote(event, "handed-over")) continue;
    const isWhole = !state.turn || (isStep && unansweredCalls(state.messages).length === 0);
    if (isWhole && event.seq <= until) whole = event.seq;
  }
  if (!init) {
    throw new SessionError("NOT_FOUND", `There is no session ${sessionId}`, {
      hint: "List the sessions with listSessions(platform.storage).",
    });
  }
  return { init, records, state, whole, places };
}

/** Yields one by one, so that values no longer needed can be collected. */
function* readable(values: readonly Uint8Array[], sessionId: string): Generator<FoldedRecord> {
  for (const value of values) {
    const record = unlessDamaged(() => decodePlaced(value, sessionId));
    if (record) yield record;
  }
}

function stateOf(records: readonly StoredRecord[], sessionId: string): SessionState {
  const state = new SessionState();
  for (const { bytes } of records) state.apply(decodeFolded(bytes, sessionId));
  return state;
}

/** The number of the event before a checkpoint. */
function pointOf(state: SessionState, id: string): number {
  const checkpoint = state.checkpoints.list().find((candidate) => candidate.id === id);
  if (checkpoint) return checkpoint.seq - 1;
  throw new SessionError("NOT_FOUND", `There is no checkpoint ${id}`, {
    hint: "checkpoints() lists the checkpoints of the current conversation.",
  });
}

async function copyFiles(
  storage: Storage,
  fs: FileSystem,
  {
    from,
    to,
    state,
    end,
    places,
  }: { from: string; to: string; end: number } & Pick<Past, "state" | "places">,
): Promise<void> {
  const { DurableOverlay } = await import("../files/durable-overlay.ts");
  const { readForkBase, saveForkBase } = await import("../files/fork-base.ts");
  const { restoreFiles } = await import("../files/restore.ts");
  await copyLog(storage, overlayKey(from), overlayKey(to));
  const overlay = await DurableOverlay.load(fs, storage, to);
  const changed: FileBefore[] = state.versions.filesAfter(0);
  await overlay.pin(changed.map(({ path }) => path));
  const payloads = new Payloads(storage, to, { payloads: undefined });
  await restoreFiles(overlay, state.versions.filesAfter(end), payloads);
  // A session with files of its own never changes the files below them.
  const base = state.hasOwnFiles
    ? await readForkBase(storage, from)
    : { sessionId: from, records: places };
  if (base) await saveForkBase(storage, to, base);
}

async function copyLog(storage: Storage, from: string, to: string): Promise<void> {
  let batch: Uint8Array[] = [];
  for await (const { value } of storage.read(from)) {
    batch.push(value);
    if (batch.length < BATCH) continue;
    await storage.append(to, batch);
    batch = [];
  }
  if (batch.length > 0) await storage.append(to, batch);
}
