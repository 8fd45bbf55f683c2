import { type ErrorFacts, RobotaError } from "../../errors.ts";
import { contentText } from "../../messages/message.ts";
import { hasErrorCode } from "../../messages/tool-error-code.ts";
import type { Plugin } from "../../plugins/plugin.ts";
import { PLUGIN_REFUSED, REFUSED_BY_PLUGIN } from "../../plugins/plugin-chain.ts";
import type { SessionEvent } from "../log/events.ts";
import { isNote } from "../log/notes.ts";
import { ANSWER_CHANGED } from "../turn/turn-events.ts";
import type { ReplayCursor } from "./replay-cursor.ts";
import { indexOfCall } from "./tool-facts.ts";

/** Repeats the decisions of plugins: a refused, retried or failed turn. */
export function recordedPlugin(cursor: ReplayCursor): Plugin {
  return {
    name: "record",
    category: "custom",
    async beforeRun(run) {
      if (run.attempt > 1) return undefined;
      const begin = cursor.find(
        (event) => event.type === "turn_start" || refusalOf(event) !== undefined,
      );
      const { turnId = "" } = (begin !== undefined && cursor.at(begin)) || {};
      // A resumed turn began long ago.
      if (!cursor.ids.couldMatch(run.runId, turnId)) return undefined;
      const refused = begin === undefined ? undefined : refusalOf(cursor.at(begin));
      // The turn has its id now: events recorded before its start can be copied.
      await cursor.due(begin);
      return refused && { refuse: errorOf(refused) };
    },
    async beforeToolExecution(_run, { toolCallId }) {
      const index = indexOfCall(cursor, toolCallId);
      const next = index === undefined ? undefined : cursor.at(index);
      if (next?.type !== "tool_end" || !hasErrorCode(next.message, PLUGIN_REFUSED))
        return undefined;
      await cursor.due(index);
      return { refuse: contentText(next.message.content).slice(REFUSED_BY_PLUGIN.length) };
    },
    afterRun() {
      const next = cursor.peek();
      if (!isNote(next, ANSWER_CHANGED)) return undefined;
      const end = cursor.findOf("turn_end");
      if (!end) return undefined;
      return end.error ? { refuse: errorOf(end.error) } : { text: end.response };
    },
    onError(_run, error) {
      const next = cursor.peek();
      if (!next) return undefined;
      if (next.type !== "turn_end") return { retryAfterMs: 0 };
      const code = error instanceof RobotaError ? error.code : undefined;
      const isSame = code === undefined || code === next.error?.code;
      return next.error && !isSame ? { error: errorOf(next.error) } : undefined;
    },
  };
}

function refusalOf(event: SessionEvent | undefined): ErrorFacts | undefined {
  if (!isNote(event, "turn-refused")) return undefined;
  const { data } = event;
  if (typeof data !== "object" || data === null) return undefined;
  if (!("code" in data) || !("message" in data)) return undefined;
  const hint = "hint" in data ? { hint: String(data.hint) } : {};
  return { code: String(data.code), message: String(data.message), ...hint };
}

export function errorOf({ code, message, hint }: ErrorFacts): RobotaError {
  return new RobotaError(message, {
    code,
    category: "system",
    recoverable: false,
    hint,
  });
}
