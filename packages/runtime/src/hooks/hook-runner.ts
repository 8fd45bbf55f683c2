import { defined } from "../defined.ts";
import type { HooksConfig } from "./definition.ts";
import { type HookEvent, type HookFields, type HookInput } from "./events.ts";
import type { HookTypeExecutor } from "./executor.ts";
import { type HookOutcome, NO_OUTCOME } from "./outcome.ts";
import { PreparedHooks } from "./prepare.ts";
import { hookExecutors, type HookHost, runPrepared } from "./run-hooks.ts";

export interface HookRunnerOptions extends HookHost {
  sessionId: string;
  /** Absolute; asked at each run. */
  cwd(): string;
  permissionMode?(): string;
  transcriptPath?: string | undefined;
  /** The subagent whose session this is. */
  agent?: { id: string; type: string } | undefined;
}

/** The hooks of one session. Without hooks for an event it costs nothing. */
export class HookRunner {
  readonly #options: HookRunnerOptions;
  readonly #host: HookHost;
  readonly #hooks: PreparedHooks;
  readonly #executors: ReadonlyMap<string, HookTypeExecutor>;
  readonly #closing = new AbortController();
  readonly #nothing = Promise.resolve(NO_OUTCOME);

  constructor(config: HooksConfig, options: HookRunnerOptions) {
    this.#options = options;
    // A hook's agent runs no hooks.
    this.#executors = hookExecutors(options);
    const isInside = (options.hookDepth ?? 0) > 0;
    this.#hooks = new PreparedHooks(isInside ? {} : config, this.#executors.keys());
    this.#host = { ...options, projectDir: options.projectDir ?? options.cwd() };
  }

  /** Reports whether a hook may run; `false` is certain, also for one tool (or source, trigger, agent) by its name. */
  has(event: HookEvent, name?: string): boolean {
    return this.#hooks.has(event, name);
  }

  /**
   * Runs an event's hooks, as `runHooks` does.
   * @throws {DOMException} `AbortError` within 250 ms of `signal` or `close`
   */
  run<Event extends HookEvent>(
    event: Event,
    fields: HookFields<Event>,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<HookOutcome> {
    if (!this.#hooks.has(event)) return this.#nothing;
    const closing = this.#closing.signal;
    const signals = signal ? [signal, closing] : [closing];
    return runPrepared(
      this.#hooks,
      this.#inputOf(event, fields),
      this.#executors,
      this.#host,
      signals,
    );
  }

  /** Stops running hooks. Their later results are dropped, and no further hooks run. */
  close(): void {
    // An explicit reason; creating the default one takes a stack trace.
    this.#closing.abort("closed");
  }

  #inputOf<Event extends HookEvent>(event: Event, fields: HookFields<Event>): HookInput {
    const { sessionId, transcriptPath, agent } = this.#options;
    const permissionMode = this.#options.permissionMode?.();
    const input = {
      session_id: sessionId,
      ...defined({ transcript_path: transcriptPath }),
      cwd: this.#options.cwd(),
      ...defined({
        permission_mode: permissionMode,
        agent_id: agent?.id,
        agent_type: agent?.type,
      }),
      hook_event_name: event,
      ...fields,
    };
    // The compiler can't see that an event and its own fields make one of the inputs.
    return input as HookInput;
  }
}
