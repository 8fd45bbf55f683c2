import type { StoredFields } from "../log/codec.ts";
import { invalid } from "./lines.ts";
import { callOf, isObject, withoutGrant } from "./safe-events.ts";
import type { NoteKind } from "../log/notes.ts";

/** Limit of records held until the outcome of their calls is known. */
const MAX_HELD = 10_000;
/** Modes that an untrusted session may keep. */
const NARROW_MODES = new Set<unknown>(["plan", "default"]);
const REASON = "It waits since before the session was imported.";

interface Call {
  name: string;
  args: unknown;
}

/**
 * Removes from untrusted records everything that would act on its own: permissive modes and rules, waiting prompts,
 * system instructions, choices of a model and a language, and answers to unfinished calls. Such a call is asked for again, as it really is.
 */
export class Untrusted {
  #held: StoredFields[] = [];
  /** Calls with a request or decision, and no result yet. */
  readonly #open = new Set<string>();
  readonly #calls = new Map<string, Call>();

  take(record: StoredFields): StoredFields[] {
    const safe = withoutPower(record);
    const callId = callOf(safe);
    if (safe.type === "assistant_message") this.#noteCalls(safe);
    if (safe.type === "permission_request" || safe.type === "permission_decision")
      this.#open.add(callId);
    if (safe.type === "tool_end") this.#open.delete(callId);
    if (safe.type === "turn_end" || safe.type === "turn_start") {
      this.#open.clear();
      this.#calls.clear();
    }
    this.#held.push(safe);
    if (this.#held.length > MAX_HELD) throw invalid("too much happens before a call ends");
    return this.#open.size === 0 ? this.#held.splice(0) : [];
  }

  /** Releases the rest, with every unfinished call undecided. */
  end(): StoredFields[] {
    const started = new Set(
      this.#held.filter(({ type }) => type === "tool_start").map((record) => callOf(record)),
    );
    return this.#held.splice(0).flatMap((record) => {
      const callId = callOf(record);
      if (!this.#open.has(callId)) return [record];
      if (record.type === "permission_decision") return [];
      if (record.type !== "permission_request") return [record];
      const call = this.#calls.get(callId);
      // The progress of a started call is unknown: it is not run again.
      return call && !started.has(callId) ? [askedAgain(record, callId, call)] : [];
    });
  }

  #noteCalls({ message }: StoredFields): void {
    this.#calls.clear();
    const calls: unknown = isObject(message) ? message["toolCalls"] : undefined;
    if (!Array.isArray(calls)) return;
    for (const call of calls) {
      if (!isObject(call)) continue;
      this.#calls.set(String(call["id"]), { name: String(call["name"]), args: call["args"] });
    }
  }
}

/** Shows the person the actual call, whatever the request claims. */
function askedAgain(record: StoredFields, toolCallId: string, { name, args }: Call): StoredFields {
  const { request } = record;
  const id = isObject(request) ? String(request["id"]) : toolCallId;
  return { ...record, request: { id, toolCallId, tool: name, args, reason: REASON } };
}

function withoutPower(record: StoredFields): StoredFields {
  switch (record.type) {
    case "session_init": {
      const { projectInstructions: _, promptReport: __, language: ___, ...rest } = record;
      return { ...rest, systemMessage: "", permissionMode: narrow(record["permissionMode"]) };
    }
    case "mode_change":
      return { ...record, mode: narrow(record["mode"]) };
    case "model_change": {
      const { provider, model, systemMessage: _, promptReport: __, ...rest } = record;
      return noted(rest, "model-change", { provider, model });
    }
    case "language_change": {
      const { language, ...rest } = record;
      return noted(rest, "language-change", { language });
    }
    case "queue_update": {
      const { requests: _, displayInputs: __, skills: ___, ...others } = record;
      const { ids: _ids, attachments: _attachments, paused: _paused, ...more } = others;
      const { responseFormats: _formats, ...rest } = more;
      return { ...rest, queue: [] };
    }
    case "user_message":
      return withoutAuthority(record);
    default:
      return withoutGrant(record);
  }
}

/** Keeps system messages visible to people, and hides them from the model. */
function withoutAuthority({ message, ...record }: StoredFields): StoredFields {
  const isSystem = isObject(message) && message["role"] !== "user";
  if (!isSystem) return { ...record, message };
  return noted(record, "system-message", { content: message["content"] });
}

/** The record as a note, which people see and nothing obeys. */
function noted(
  record: Pick<StoredFields, "v" | "seq">,
  kind: NoteKind,
  data: object,
): StoredFields {
  return { ...record, type: "note", kind, data };
}

function narrow(mode: unknown): unknown {
  return NARROW_MODES.has(mode) ? mode : "default";
}
