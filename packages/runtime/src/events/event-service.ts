import type { OwnerPathSegment } from "../tools/tool.ts";

/** Something that happened in an agent, named `owner.local`, such as `tool.execute_start`. */
export interface OwnedEvent {
  name: string;
  /** The owner and its ancestors, outermost first. */
  ownerPath: readonly OwnerPathSegment[];
  /** Milliseconds since the epoch. */
  time: number;
  data: Readonly<Record<string, unknown>>;
}

/** The sink of an agent's events. `emit` never throws and never waits. */
export interface EventService {
  emit(event: OwnedEvent): void;
}

/**
 * The names that agents emit: `user.input`, `execution.*` for runs, `tool.*` for calls, `agent.*` for the agent itself;
 * and workflows `task.*` for their steps.
 */
export const AGENT_EVENTS = [
  "agent.created",
  "agent.completion",
  "user.input",
  "execution.start",
  "execution.complete",
  "execution.error",
  "execution.tool_results",
  "tool.execute_start",
  "tool.execute_success",
  "tool.execute_error",
  "task.started",
  "task.completed",
  "task.failed",
] as const;
export type AgentEventName = (typeof AGENT_EVENTS)[number];

/** Drops every event. */
export class DefaultEventService implements EventService {
  emit(): void {}
}

/** A no-op service for code that always calls one. */
export const DEFAULT_ABSTRACT_EVENT_SERVICE: EventService = new DefaultEventService();

/** A service for one owner: the owner's path is prepended to that of every event. */
export function bindWithOwnerPath(
  service: EventService,
  ownerPath: readonly OwnerPathSegment[],
): EventService {
  return {
    emit: (event) => service.emit({ ...event, ownerPath: [...ownerPath, ...event.ownerPath] }),
  };
}

/** Hands events of one owner on, named `<owner type>.<local name>`. */
export class StructuredEventService {
  readonly #service: EventService;
  readonly #ownerPath: readonly OwnerPathSegment[];
  readonly #now: () => number;

  constructor(service: EventService, ownerPath: readonly OwnerPathSegment[], now: () => number) {
    this.#service = service;
    this.#ownerPath = ownerPath;
    this.#now = now;
  }

  /** The service of something that this owner owns. */
  child(segment: OwnerPathSegment): StructuredEventService {
    return new StructuredEventService(this.#service, [...this.#ownerPath, segment], this.#now);
  }

  /** `local` is the name behind the dot; the part before it is the owner's type. */
  emit(local: string, data: Readonly<Record<string, unknown>> = {}): void {
    const owner = this.#ownerPath.at(-1)?.ownerType ?? "unknown";
    this.#service.emit({
      name: `${owner}.${local}`,
      ownerPath: this.#ownerPath,
      time: this.#now(),
      data,
    });
  }
}
