import { errorMessage, PluginError } from "../errors.ts";
import { wait } from "../abort.ts";
import type { ToolResult } from "../tools/tool.ts";
import { ConsoleLogger, errorData, type Logger } from "./logger.ts";
import type { Plugin, PluginRun, PluginRunResult, PluginToolCall } from "./plugin.ts";

interface ToolEnd {
  run: PluginRun;
  call: PluginToolCall;
  result: ToolResult;
  durationMs: number;
}

/** Events of a run. `execution.start` comes once for each attempt, and one of the other three ends it. */
export type RunEvent =
  | { name: "execution.start"; run: PluginRun }
  | { name: "execution.complete"; run: PluginRun; result: PluginRunResult }
  | { name: "execution.error"; run: PluginRun; error: Error; result: PluginRunResult }
  | { name: "execution.refused"; run: PluginRun; error: Error }
  | { name: "execution.text_delta"; run: PluginRun; delta: string }
  | { name: "tool.execute_start"; run: PluginRun; call: PluginToolCall }
  | ({ name: "tool.execute_success" } & ToolEnd)
  | ({ name: "tool.execute_error" } & ToolEnd);
export type RunEventName = RunEvent["name"];
export type RunEventOf<Name extends RunEventName> = Extract<RunEvent, { name: Name }>;
/** `*` selects every event. */
export type RunEventSelector = RunEventName | "*";
export type SelectedRunEvent<Selector extends RunEventSelector> = Selector extends RunEventName
  ? RunEventOf<Selector>
  : RunEvent;
export type RunEventListener<Selector extends RunEventSelector> = (
  event: SelectedRunEvent<Selector>,
) => Promise<void> | void;

export interface ListenOptions<Selector extends RunEventSelector> {
  /** Selects events by returning true, such as those of one agent. */
  filter?: ((event: SelectedRunEvent<Selector>) => boolean) | undefined;
}

export interface EventEmitterPluginOptions {
  /** Receives failures of listeners; the console by default. */
  logger?: Logger | undefined;
  /** Milliseconds that `dispose` may wait for listeners; 5,000 when omitted. */
  closeTimeoutMs?: number | undefined;
}

interface Subscription {
  selector: RunEventSelector;
  listener: unknown;
  notify: (event: RunEvent) => Promise<void> | void;
}

/**
 * Publishes events of its agents' runs. Listeners are called in the order of registration; runs never await them, and
 * their failures go to the logger alone.
 */
export class EventEmitterPlugin implements Plugin {
  readonly name = "event-emitter";
  readonly category = "event_processing";
  readonly #logger: Logger;
  readonly #closeTimeoutMs: number;
  readonly #working = new Set<Promise<void>>();
  #subscriptions: readonly Subscription[] = [];

  constructor(options: EventEmitterPluginOptions = {}) {
    this.#logger = options.logger ?? new ConsoleLogger();
    this.#closeTimeoutMs = options.closeTimeoutMs ?? 5000;
  }

  /** Returns a function that ends the subscription. */
  on<Selector extends RunEventSelector>(
    selector: Selector,
    listener: RunEventListener<Selector>,
    options: ListenOptions<Selector> = {},
  ): () => void {
    return this.#subscribe(selector, listener, options, false);
  }

  /** As `on`, for the first event that passes the filter. */
  once<Selector extends RunEventSelector>(
    selector: Selector,
    listener: RunEventListener<Selector>,
    options: ListenOptions<Selector> = {},
  ): () => void {
    return this.#subscribe(selector, listener, options, true);
  }

  /** Ends every subscription of this listener to this event. */
  off<Selector extends RunEventSelector>(
    selector: Selector,
    listener: RunEventListener<Selector>,
  ): void {
    this.#subscriptions = this.#subscriptions.filter(
      (entry) => entry.selector !== selector || entry.listener !== listener,
    );
  }

  beforeRun(run: PluginRun): void {
    this.#emit({ name: "execution.start", run });
  }

  afterRun(run: PluginRun, result: PluginRunResult): void {
    this.#emit({ name: "execution.complete", run, result });
  }

  onRefused(run: PluginRun, error: Error): void {
    this.#emit({ name: "execution.refused", run, error });
  }

  onError(run: PluginRun, error: Error, result: PluginRunResult): void {
    this.#emit({ name: "execution.error", run, error, result });
  }

  onStreamChunk(run: PluginRun, delta: string): void {
    this.#emit({ name: "execution.text_delta", run, delta });
  }

  onToolStart(run: PluginRun, call: PluginToolCall): void {
    this.#emit({ name: "tool.execute_start", run, call });
  }

  afterToolExecution(
    run: PluginRun,
    call: PluginToolCall,
    result: ToolResult,
    durationMs: number,
  ): void {
    const name = result.success ? "tool.execute_success" : "tool.execute_error";
    this.#emit({ name, run, call, result, durationMs });
  }

  /** Waits, within the limit, for listeners that are still running. */
  async dispose(): Promise<void> {
    const stop = new AbortController();
    const timeout = wait(this.#closeTimeoutMs, stop.signal).catch(() => undefined);
    await Promise.race([Promise.all(this.#working), timeout]);
    stop.abort();
  }

  #subscribe<Selector extends RunEventSelector>(
    selector: Selector,
    listener: RunEventListener<Selector>,
    { filter }: ListenOptions<Selector>,
    isOnce: boolean,
  ): () => void {
    const stop = (): void => {
      this.#subscriptions = this.#subscriptions.filter((other) => other !== entry);
    };
    const entry: Subscription = {
      selector,
      listener,
      notify: (event) => {
        if (!isSelected(event, selector) || filter?.(event) === false) return;
        if (isOnce) stop();
        return listener(event);
      },
    };
    this.#subscriptions = [...this.#subscriptions, entry];
    return stop;
  }

  #emit(event: RunEvent): void {
    for (const { notify } of this.#subscriptions) {
      try {
        const work = notify(event);
        if (work) this.#follow(work, event.name);
      } catch (error) {
        this.#report(error, event.name);
      }
    }
  }

  #follow(work: Promise<void>, name: RunEventName): void {
    const watched = work
      .catch((error: unknown) => this.#report(error, name))
      .finally(() => this.#working.delete(watched));
    this.#working.add(watched);
  }

  #report(cause: unknown, name: RunEventName): void {
    const error = new PluginError(
      this.name,
      `A listener of ${name} failed: ${errorMessage(cause)}`,
      { cause, hint: "The run and the other listeners went on without it." },
    );
    this.#logger.error(error.message, errorData(error));
  }
}

function isSelected<Selector extends RunEventSelector>(
  event: RunEvent,
  selector: Selector,
): event is RunEvent & SelectedRunEvent<Selector> {
  return selector === "*" || event.name === selector;
}
