import { sha256 } from "../../digest.ts";
import type { Storage } from "../../ports/storage.ts";
import {
  type ExternalPayloadReference,
  isPayloadReference,
  type MissingPayload,
  type SessionLogEntry,
} from "./entry.ts";
import type { ReplayLogIssue } from "./issues.ts";
import { parseLine } from "./lines.ts";
import { logName, type LogPlace, payloadKey } from "./log-names.ts";
import { isSoundReference } from "./payload-reference.ts";
import { validateSessionReplayLogEntries } from "./validate-log.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The readable part of a log, and its problems. */
export interface ReadSessionLog {
  entries: SessionLogEntry[];
  /** Unreadable lines; the others are returned. */
  issues: ReplayLogIssue[];
}

/**
 * Reads a session's log, with its payloads inserted. A missing or damaged payload becomes a `MissingPayload`; an
 * invalid reference stays. Never fails because of the log's content.
 * @throws {ValidationError} for an invalid id @throws {StorageError}
 */
export async function readSessionLog(
  storage: Storage,
  sessionId: string,
  place: LogPlace = {},
): Promise<ReadSessionLog> {
  const name = logName(sessionId, place);
  const payloads = new Map<string, Promise<unknown>>();
  const entries: SessionLogEntry[] = [];
  const issues: ReplayLogIssue[] = [];
  for await (const { seq, value } of storage.read(name)) {
    const { entry, problem } = parseLine(value);
    if (!entry) {
      issues.push({ code: "damaged-line", message: `The line is ${problem}`, index: seq - 1 });
      continue;
    }
    const fields = Object.entries(entry.data).map(async ([field, content]) => {
      if (!isPayloadReference(content) || !isSoundReference(content)) return [field, content];
      const { sha256: hash } = content;
      const payload = payloads.get(hash) ?? readPayload(storage, name, content);
      payloads.set(hash, payload);
      return [field, await payload];
    });
    const data = Object.fromEntries(await Promise.all(fields)) as SessionLogEntry["data"];
    entries.push({ ...entry, data });
  }
  return { entries, issues };
}

/**
 * Lists the problems of a stored log: of its lines, its payloads, and those that `validateSessionReplayLogEntries`
 * finds.
 */
export async function validateSessionLog(
  storage: Storage,
  sessionId: string,
  place: LogPlace = {},
): Promise<ReplayLogIssue[]> {
  const { entries, issues } = await readSessionLog(storage, sessionId, place);
  return [...issues, ...validateSessionReplayLogEntries(entries)];
}

async function readPayload(
  storage: Storage,
  name: string,
  { sha256: hash }: ExternalPayloadReference,
): Promise<unknown> {
  const bytes = await storage.get(payloadKey(name, hash));
  if (!bytes || (await sha256(bytes)) !== hash) return missing(hash);
  try {
    return JSON.parse(decoder.decode(bytes)) as unknown;
  } catch {
    return missing(hash);
  }
}

function missing(hash: string): MissingPayload {
  return { kind: "payload-missing", sha256: hash, message: `payload missing (${hash})` };
}
