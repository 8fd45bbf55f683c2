import { abortError } from "../../errors.ts";
import { sessionState } from "../../tools/session-state.ts";
import type { ToolResult } from "../../tools/tool.ts";

/** Agents of one session that run in the background at the same time. */
const MAX_IN_BACKGROUND = 5;
/** Reports that are kept in memory; the log has them all. */
const MAX_KEPT = 100;

interface RunningAgent {
  controller: AbortController;
  /** Resolves with its result; absent for one that its call waits for. */
  inBackground?: Promise<ToolResult>;
}

/** Why an agent was ended from outside. */
export type AgentEnding = "stopped" | "shutdown";

/** The agents of a session that run in this page or process, and the latest reports of those in the background. */
export class RunningAgents implements AsyncDisposable {
  readonly #running = new Map<string, RunningAgent>();
  readonly #reports = new Map<string, ToolResult>();
  readonly #endings = new Map<string, AgentEnding>();
  /** Agents that have a place in the background and are about to begin there. */
  readonly #beginning = new Set<string>();

  /** Keeps a place in the background for an agent. False when all are taken. */
  takePlace(id: string): boolean {
    const isFree = this.inBackground.length + this.#beginning.size < MAX_IN_BACKGROUND;
    if (isFree) this.#beginning.add(id);
    return isFree;
  }

  /** Gives back the place of an agent that did not begin. */
  leavePlace(id: string): void {
    this.#beginning.delete(id);
  }

  /** The ids of those that run in the background, in the order of their starts. */
  get inBackground(): string[] {
    return [...this.#running].flatMap(([id, run]) => (run.inBackground ? [id] : []));
  }

  /** Names an agent that its call waits for. */
  add(id: string, controller: AbortController): void {
    this.#running.set(id, { controller });
  }

  remove(id: string): void {
    this.#running.delete(id);
    this.#endings.delete(id);
  }

  /** Lets an agent run by itself. `working` never rejects. */
  addInBackground(id: string, controller: AbortController, working: Promise<ToolResult>): void {
    const inBackground = working.then((result) => {
      this.remove(id);
      this.#reports.set(id, result);
      const [oldest] = this.#reports.keys();
      if (this.#reports.size > MAX_KEPT && oldest !== undefined) this.#reports.delete(oldest);
      return result;
    });
    this.#running.set(id, { controller, inBackground });
    this.#beginning.delete(id);
  }

  has(id: string): boolean {
    return this.#running.has(id);
  }

  /** The report of an agent in the background, once it has ended; `undefined` for an unknown one. */
  report(id: string): Promise<ToolResult> | ToolResult | undefined {
    return this.#running.get(id)?.inBackground ?? this.#reports.get(id);
  }

  /** Why it was ended, while it ends. */
  endingOf(id: string): AgentEnding | undefined {
    return this.#endings.get(id);
  }

  /** Ends an agent, and resolves when one in the background has ended. False for one that does not run. */
  async stop(id: string, why: AgentEnding = "stopped"): Promise<boolean> {
    const run = this.#running.get(id);
    if (!run) return false;
    this.#endings.set(id, why);
    run.controller.abort(abortError());
    await run.inBackground;
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running.keys()].map((id) => this.stop(id, "shutdown")));
  }
}

/** The agents of a session that run now. */
export function runningAgents(toolState: Map<string, unknown>): RunningAgents {
  return sessionState({ state: toolState }, "runningAgents", () => new RunningAgents());
}
