import type { SavedTracker } from "../../context/tracker.ts";
import { messageForJson, messageFromJson } from "../../messages/message-json.ts";
import type { Message, TokenUsage } from "../../messages/message.ts";
import { crc32 } from "../../crc32.ts";
import type { SavedState } from "./saved-state.ts";
import type { LogPosition } from "../log/log-reader.ts";

/**
 * A session's state at a position of its log, so that opening reads only the events after it. It is a cache: a damaged
 * one, or one of another version or log, is ignored.
 */
export interface SessionSnapshot {
  position: LogPosition;
  state: SavedState;
  tracker: SavedTracker;
  /** Token usage by model. */
  usage: [model: string, usage: TokenUsage][];
  /** The conversation, decoded on demand; absent when it was too large to store twice. */
  messages?: () => Message[];
}

/** Raised whenever the same log folds to another state, so that no snapshot of an earlier version is used. */
const SNAPSHOT_VERSION = 4;
/** Limit in characters of JSON; a larger conversation is read from the log when the session continues. */
const MAX_CONVERSATION = 4 * 1024 * 1024;
const CHECKSUM_LENGTH = 8;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Encodes two lines of JSON and a checksum of both: the snapshot without its messages, and the messages. */
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

/** The snapshot, or `undefined` for invalid bytes and other versions. */
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
