import type { EventRow } from "@robota/react/store";
import type { SessionEvent } from "@robota/runtime";
import { describeEvent } from "./describe-event.ts";

/** A line of the list: the beginning of a turn, or an event. */
export type EventLine =
  | {
      kind: "turn";
      /** Unique among the lines. */
      key: string;
      turnId: string;
      prompt: string;
      /** Number of its lines that match. */
      count: number;
      isOpen: boolean;
    }
  | { kind: "event"; key: string; row: EventRow; isInTurn: boolean };

export interface EventFilter {
  /** A part of an event's type or summary; empty for all. Case does not matter. */
  text: string;
  /** Beginning of the type, such as `tool` or `permission`; empty for all. */
  type: string;
}

/** Kinds of events that a person filters by: the beginnings of their types. */
export const EVENT_KINDS = [
  { type: "", label: "All events" },
  { type: "turn", label: "Turns" },
  { type: "user_message assistant_message", label: "Messages" },
  { type: "text_delta thinking_delta", label: "Streamed text" },
  { type: "tool", label: "Tools" },
  { type: "permission", label: "Permissions" },
  { type: "hook_run", label: "Hooks" },
  { type: "agent", label: "Subagents" },
  { type: "files_before rewind", label: "Files and rewinds" },
  { type: "context_update compaction history_cleared tool_results_cleared", label: "Context" },
  {
    type: "session mode_change model_change name_change language_change queue_update note",
    label: "Session",
  },
] as const;

/** Characters of a summary that are searched. */
const SEARCHED = 2000;
const searchable = new WeakMap<SessionEvent, string>();

/** Lists the rows that match, under their turns. Yields now and then, so that a caller can let the page breathe. */
export function* listEvents(
  rows: readonly EventRow[],
  filter: EventFilter,
  closed: ReadonlySet<string>,
): Generator<undefined, EventLine[]> {
  const text = filter.text.trim().toLowerCase();
  const types = filter.type === "" ? [] : filter.type.split(" ");
  const prompts = new Map<string, string>();
  const lines: EventLine[] = [];
  let turn: Extract<EventLine, { kind: "turn" }> | undefined;
  for (const [index, row] of rows.entries()) {
    if (index % 500 === 499) yield;
    const { event } = row;
    const { turnId } = event;
    if (event.type === "turn_start" && turnId !== undefined)
      prompts.set(turnId, event.displayInput ?? event.input);
    if (!matches(event, types, text)) continue;
    if (turnId === undefined) turn = undefined;
    else if (turn?.turnId !== turnId) {
      turn = {
        kind: "turn",
        key: `turn-${index}`,
        turnId,
        prompt: prompts.get(turnId) ?? "",
        count: 0,
        isOpen: !closed.has(turnId),
      };
      lines.push(turn);
    }
    if (turn) {
      turn.count += 1;
      // Events before the turn's own first one, such as a hook's, show its prompt too.
      turn.prompt ||= prompts.get(turn.turnId) ?? "";
    }
    if (!turn || turn.isOpen)
      lines.push({ kind: "event", key: String(index), row, isInTurn: turn !== undefined });
  }
  return lines;
}

function matches(event: SessionEvent, types: readonly string[], text: string): boolean {
  if (types.length > 0 && !types.some((type) => event.type.startsWith(type))) return false;
  return text === "" || searchableText(event).includes(text);
}

function searchableText(event: SessionEvent): string {
  let found = searchable.get(event);
  if (found === undefined) {
    found = `${event.type} ${describeEvent(event).slice(0, SEARCHED)}`.toLowerCase();
    searchable.set(event, found);
  }
  return found;
}
