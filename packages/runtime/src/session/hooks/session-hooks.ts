import type { HooksConfig } from "../../hooks/definition.ts";
import type { HookEvent, HookFields } from "../../hooks/events.ts";
import type { HookRunner } from "../../hooks/hook-runner.ts";
import type { HookOutcome } from "../../hooks/outcome.ts";
import { loadOnce } from "../../load-once.ts";
import type { HookRun } from "../../hooks/run-hooks.ts";
import type { NoteKind } from "../log/notes.ts";
import type { HookParts } from "./hook-host.ts";

const loadHooks = loadOnce(() => import("../../hooks/open-hooks.ts"));
const loadHost = loadOnce(() => import("./hook-host.ts"));

const NO_HOOKS: Promise<undefined> = Promise.resolve(undefined);

/** The source of hook results: a configuration, or a recording. */
export type HookAnswers = Pick<HookRunner, "has" | "run" | "close">;

/** The hooks of a session: loaded when there are any, and each run of one on record. */
export class SessionHooks {
  readonly #parts: HookParts;
  /** Used instead of the configuration. */
  readonly #answers: HookAnswers | undefined;
  #opening: Promise<HookAnswers | undefined> | undefined;
  #runner: HookAnswers | undefined;
  /** The hooks that are asked at the end of the present turn alone. */
  #ofTurn: HookAnswers | undefined;
  /** Runners of replaced configurations, whose hooks may still run. */
  readonly #former: HookAnswers[] = [];
  #isClosed = false;

  /** Loads nothing yet: a mistake in the configuration shows with the first event that has hooks. */
  constructor(parts: HookParts, answers?: HookAnswers) {
    this.#parts = parts;
    this.#answers = answers;
    this.#runner = answers;
  }

  get #config(): HooksConfig | undefined {
    const { hookDepth = 0, hooks } = this.#parts.options;
    return hookDepth > 0 ? undefined : hooks;
  }

  /** Reports whether a hook may run at an event: `false` is certain. */
  has(event: HookEvent, name?: string): boolean {
    if (this.#isClosed) return false;
    if (event === "Stop" && this.#ofTurn) return true;
    return this.#runner?.has(event, name) ?? (this.#config?.[event] ?? []).length > 0;
  }

  /**
   * Runs an event's hooks; `undefined` when there are none.
   * @throws {ValidationError} for an invalid configuration
   * @throws {DOMException} `AbortError` within 250 ms of `signal`
   */
  run<Event extends HookEvent>(
    event: Event,
    fields: HookFields<Event>,
    signal?: AbortSignal,
  ): Promise<HookOutcome | undefined> {
    return this.has(event) ? this.#run(event, fields, signal) : NO_HOOKS;
  }

  async #run<Event extends HookEvent>(
    event: Event,
    fields: HookFields<Event>,
    signal: AbortSignal | undefined,
  ): Promise<HookOutcome | undefined> {
    const outcome = await this.#ask(await this.#open(), event, fields, signal);
    if (event !== "Stop" || !this.#ofTurn || outcome?.blocked || outcome?.stopped) return outcome;
    return (await this.#ask(this.#ofTurn, event, fields, signal)) ?? outcome;
  }

  async #ask<Event extends HookEvent>(
    hooks: HookAnswers | undefined,
    event: Event,
    fields: HookFields<Event>,
    signal: AbortSignal | undefined,
  ): Promise<HookOutcome | undefined> {
    if (!hooks?.has(event)) return undefined;
    const outcome = await hooks.run(event, fields, signal ? { signal } : {});
    if (outcome.warnings.length > 0 || outcome.additionalContext) await this.#warn(event, outcome);
    return outcome;
  }

  /**
   * Sets the hooks of `Stop` for the turn that begins, which are asked once the session's own let it end. A recording has
   * their answers already.
   * @throws {ValidationError} for an invalid configuration
   */
  async useInTurn(groups: HooksConfig["Stop"]): Promise<void> {
    this.#ofTurn?.close();
    this.#ofTurn = undefined;
    if (groups && !this.#answers) this.#ofTurn = await this.#load({ Stop: groups });
  }

  /**
   * Switches to another configuration.
   * @throws {ValidationError} for an invalid configuration, without any change
   */
  async replace(config: HooksConfig): Promise<void> {
    if (this.#answers) return;
    const next = await this.#load(config);
    if (this.#runner) this.#former.push(this.#runner);
    this.#runner = next;
    this.#opening = Promise.resolve(next);
  }

  /** Stops running hooks, and prevents further ones. */
  close(): void {
    this.#isClosed = true;
    for (const runner of [...this.#former, this.#runner, this.#ofTurn]) runner?.close();
  }

  async #open(): Promise<HookAnswers | undefined> {
    this.#opening ??= this.#answers ? Promise.resolve(this.#runner) : this.#load();
    this.#runner = await this.#opening;
    return this.#runner;
  }

  async #load(config = this.#config ?? {}): Promise<HookRunner | undefined> {
    const { sessionId, state } = this.#parts;
    const [{ openHooks }, { hookHost }] = await Promise.all([loadHooks(), loadHost()]);
    return openHooks(config, {
      ...hookHost(this.#parts),
      sessionId,
      cwd: () => state.cwd,
      permissionMode: () => state.mode,
      onRun: (run) => this.#record(run),
    });
  }

  #record(run: HookRun): void {
    if (this.#isClosed) return;
    const { log, meters } = this.#parts;
    log.stream({ type: "hook_run", ...run });
    const { usage, cost } = run;
    if (usage) meters.current.addAside(usage, cost);
  }

  async #warn(event: HookEvent, outcome: HookOutcome): Promise<void> {
    const { warningsOf } = await loadHooks();
    const warnings = warningsOf(event, outcome);
    if (warnings.length > 0) this.#note("hook-warning", { event, warnings });
  }

  #note(kind: NoteKind, data: unknown): void {
    if (!this.#isClosed) this.#parts.log.stream({ type: "note", kind, data });
  }
}
