import {
  runningTurn,
  type SessionView,
  type TimelineEntry,
  type ToolItem,
  type TurnItem,
  type TurnView,
} from "./session-view.ts";

/** A view while a batch of events is applied. Lists are copied once a batch, entries whenever they change. */
export class Draft {
  /** The view but for its timeline. */
  #view: SessionView;
  #timeline: TimelineEntry[] | undefined;

  constructor(before: SessionView) {
    this.#view = before;
  }

  /** The view with all changes; the same object when nothing has changed. */
  finish(): SessionView {
    return this.#timeline ? { ...this.#view, timeline: this.#timeline } : this.#view;
  }

  get<Key extends Exclude<keyof SessionView, "timeline">>(key: Key): SessionView[Key] {
    return this.#view[key];
  }

  set(changes: Omit<Partial<SessionView>, "timeline">): void {
    this.#view = { ...this.#view, ...changes };
  }

  get timeline(): readonly TimelineEntry[] {
    return this.#timeline ?? this.#view.timeline;
  }

  setTimeline(entries: readonly TimelineEntry[]): void {
    this.#timeline = [...entries];
  }

  add(entry: TimelineEntry): void {
    this.#owned().push(entry);
  }

  /** Adds an entry before the running turn, or at the end when none runs. */
  addBeforeRunning(entry: TimelineEntry): void {
    const entries = this.#owned();
    entries.splice(entries.length - (runningTurn(this) ? 1 : 0), 0, entry);
  }

  /** Replaces the last turn by the result of `change`. */
  changeTurn(change: (turn: TurnView) => TurnView): void {
    const at = this.timeline.findLastIndex((entry) => entry.kind === "turn");
    const turn = this.timeline[at];
    if (turn?.kind !== "turn") return;
    const changed = change(turn);
    if (changed !== turn) this.#owned()[at] = changed;
  }

  /** Replaces a tool call of the last turn. */
  changeTool(toolCallId: string, change: (tool: ToolItem) => ToolItem): void {
    this.changeTurn((turn) => changeTool(turn, toolCallId, change));
  }

  /** Replaces a tool call of any turn, the latest with that id: a subagent may outlive the turn that started it. */
  changeToolAnywhere(toolCallId: string, change: (tool: ToolItem) => ToolItem): void {
    for (let at = this.timeline.length - 1; at >= 0; at--) {
      const turn = this.timeline[at];
      if (turn?.kind !== "turn") continue;
      const changed = changeTool(turn, toolCallId, change);
      if (changed === turn) continue;
      this.#owned()[at] = changed;
      return;
    }
  }

  #owned(): TimelineEntry[] {
    return (this.#timeline ??= [...this.#view.timeline]);
  }
}

/** The turn with one of its tool calls replaced. */
export function changeTool(
  turn: TurnView,
  toolCallId: string,
  change: (tool: ToolItem) => ToolItem,
): TurnView {
  const at = turn.items.findLastIndex((item) => item.kind === "tool" && item.id === toolCallId);
  const tool = turn.items[at];
  if (tool?.kind !== "tool") return turn;
  const items: readonly TurnItem[] = turn.items.with(at, change(tool));
  return { ...turn, items };
}
