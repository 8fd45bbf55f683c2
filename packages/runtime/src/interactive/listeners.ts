import { callSafely, requireArgument } from "../errors.ts";
import type { SessionEvent } from "../session/log/events.ts";
import type { Session } from "../session/session.ts";
import type { ToolState } from "../session/state/tool-state.ts";
import { withDiff } from "../session/state/tool-diff.ts";
import type { InteractiveSessionEvents } from "./types.ts";

type Name = keyof InteractiveSessionEvents;
type Listeners = { [Key in Name]?: Set<InteractiveSessionEvents[Key]> };

/** Where listeners get their events from. */
type Source = Pick<Session, "subscribe" | "getContextState" | "getFullHistory">;

/** Listeners of a session, by the event names of `InteractiveSession.on`. */
export class SessionListeners {
  readonly #session: Source;
  readonly #listeners: Listeners = {};

  constructor(session: Source) {
    this.#session = session;
    session.subscribe((event) => this.#publish(event));
  }

  add<Key extends Name>(name: Key, listener: InteractiveSessionEvents[Key]): void {
    requireArgument("listener", listener, "function");
    const listeners: Set<InteractiveSessionEvents[Key]> = (this.#listeners[name] ??=
      new Set<never>() as never);
    listeners.add(listener);
  }

  remove<Key extends Name>(name: Key, listener: InteractiveSessionEvents[Key]): void {
    this.#listeners[name]?.delete(listener);
  }

  has(name: Name): boolean {
    return (this.#listeners[name]?.size ?? 0) > 0;
  }

  emit<Key extends Name>(name: Key, ...args: Parameters<InteractiveSessionEvents[Key]>): void {
    for (const listener of this.#listeners[name] ?? []) {
      callSafely(() => (listener as (...values: unknown[]) => void)(...args));
    }
  }

  #publish(event: SessionEvent): void {
    this.emit("event", event);
    switch (event.type) {
      case "text_delta":
        this.emit("text_delta", event.delta);
        return;
      case "tool_start": {
        const { toolCallId, tool: toolName, firstArg } = event;
        this.emit("tool_start", { toolCallId, toolName, firstArg, isRunning: true });
        return;
      }
      case "tool_end":
        this.emit("tool_end", withDiff(this.#endedTool(event.toolCallId)));
        return;
      case "permission_request":
        this.emit("permission_request", event.request);
        return;
      case "context_update":
        this.emit("context_update", this.#session.getContextState());
        return;
      default:
        return;
    }
  }

  #endedTool(toolCallId: string): ToolState {
    const entry = this.#session
      .getFullHistory()
      .findLast(
        ({ type, data }) => type === "tool-end" && (data as ToolState).toolCallId === toolCallId,
      );
    return entry?.data as ToolState;
  }
}
