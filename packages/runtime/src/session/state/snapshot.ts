import type { SavedTracker } from "../../context/tracker.ts";
import { messageForJson, messageFromJson } from "../../messages/message-json.ts";
import type { Message, TokenUsage } from "../../messages/message.ts";
import { crc32 } from "../../crc32.ts";
import type { SavedState } from "./saved-state.ts";
import type { LogPosition } from "../log/log-reader.ts";

/**
 * What a session was at a place in its log, so that opening it has to read only what follows. It is a cache: one that is
 * damaged, of another version, or not of this log is passed over.
 */
export interface SessionSnapshot {
  position: LogPosition;
  state: SavedState;
  tracker: SavedTracker;
  /** By model: what its answers used. */
  usage: [model: string, usage: TokenUsage][];
  /** What the model knew, made when it is asked for; absent when it was too large to keep twice. */
  messages?: () => Message[];
}

/** Raised whenever the same log makes another state, so that no snapshot of an earlier version is used. */
const SNAPSHOT_VERSION = 2;
/** Characters of JSON; a conversation with more is read from the log when it goes on. */
const MAX_CONVERSATION = 4 * 1024 * 1024;
const CHECKSUM_LENGTH = 8;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Two lines of JSON and a checksum of both: the snapshot without its messages, and those. */
export function encodeSnapshot(
  snapshot: Omit<SessionSnapshot, "messages">,
  messages: readonly Message[],
): Uint8Array<ArrayBuffer> {
  const conversation = JSON.stringify(messages.map(messageForJson));
  const second = conversation.length > MAX_CONVERSATION ? "" : conversation;
  const head = JSON.stringify({ v: SNAPSHOT_VERSION, ...snapshot });
  const body = encoder.encode(`${head}\n${second}\n`);
  const bytes = new Uint8Array(body.length + CHECKSUM_LENGTH);
  bytes.set(body);
  encoder.encodeInto(
    crc32(body).toString(16).padStart(CHECKSUM_LENGTH, "0"),
    bytes.subarray(body.length),
  );
  return bytes;
}

/** `undefined` for what is none, or none of this version. */
export function decodeSnapshot(bytes: Uint8Array): SessionSnapshot | undefined {
  const body = bytes.subarray(0, Math.max(0, bytes.length - CHECKSUM_LENGTH));
  const checksum = decoder.decode(bytes.subarray(body.length));
  if (crc32(body).toString(16).padStart(CHECKSUM_LENGTH, "0") !== checksum) return undefined;
  const [head = "", second = ""] = decoder.decode(body).split("\n");
  const { v, ...snapshot } = JSON.parse(head) as SessionSnapshot & { v: number };
  if (v !== SNAPSHOT_VERSION) return undefined;
  if (second === "") return snapshot;
  const messages = (): Message[] => (JSON.parse(second) as Message[]).map(messageFromJson);
  return { ...snapshot, messages };
}
