import { defined } from "../defined.ts";
import { abortError, callSafely, ValidationError } from "../errors.ts";
import { redact } from "../messages/redact.ts";
import type { EgressPolicy } from "../network/policy.ts";
import type { Platform } from "../ports/platform.ts";
import { headAndTail } from "../tools/text-limit.ts";
import type { HooksConfig } from "./definition.ts";
import { type HookEvent, type HookInput, matchedText } from "./events.ts";
import type { HookExecutors, HookTypeExecutor, HookUsage } from "./executor.ts";
import { agentExecutor, type RunHookAgent } from "./executors/agent.ts";
import { commandExecutor } from "./executors/command.ts";
import { functionExecutor } from "./executors/function.ts";
import { httpExecutor } from "./executors/http.ts";
import { type AskModel, promptExecutor } from "./executors/prompt.ts";
import { hookSecrets } from "./label.ts";
import { combine, type HookOutcome, type HookReport, NO_OUTCOME } from "./outcome.ts";
import { type PreparedHook, PreparedHooks } from "./prepare.ts";
import { readExecutors } from "./read-executors.ts";
import { runOne } from "./run-one.ts";
import type { HookResult } from "./result.ts";
import { readUsableHooks } from "./usable-hooks.ts";

/** Characters of a hook's input, and of its output, that its record keeps. */
const RECORDED_TEXT = 2000;

/** The resources hooks may use, by type: without its resource, a hook of that type counts as failed. */
export interface HookHost {
  /** Platform whose shell runs commands and whose network carries requests. */
  platform?: Platform | undefined;
  /** Executors of custom types, or replacing those of built-in types. */
  executors?: HookExecutors | undefined;
  /** Model for prompt hooks that judge. */
  ask?: AskModel | undefined;
  runAgent?: RunHookAgent | undefined;
  /** Addresses of http hooks besides the public internet: only a person's own settings should say so. */
  egress?: EgressPolicy | undefined;
  /** Project directory of commands; the input's `cwd` when omitted. */
  projectDir?: string | undefined;
  /** Nesting depth of hooks' agents. No hook runs inside of one. */
  hookDepth?: number | undefined;
  /** Called with every hook that ran, without secrets. */
  onRun?(run: HookRun): void;
}

/** The outcome of a hook. */
export type HookRunOutcome = "allowed" | "blocked" | "stopped" | "failed" | "timed_out" | "aborted";

/** The run of one hook, for a log. With `usage` and `cost` where a model or an agent judged. */
export interface HookRun extends Partial<HookUsage> {
  event: HookEvent;
  matcher: string;
  hook: string;
  layer?: string;
  exitCode: number;
  /** Milliseconds of real time, independent of the platform's clock. */
  durationMs: number;
  outcome: HookRunOutcome;
  /** Reason of a model or an agent that said no. */
  reason?: string;
  /** The hook's input as JSON, shortened and redacted. */
  input?: string;
  /** Its output or answer, errors last, shortened and redacted; absent for a silent hook. */
  output?: string;
}

export interface RunHooksOptions extends HookHost {
  signal?: AbortSignal | undefined;
}

/**
 * Runs an event's matching hooks concurrently and combines their answers. A hook's failure is a warning, or a block if
 * its `onFailure` says so.
 * @throws {ValidationError} for an invalid configuration, such as one with a misspelt event, type or matcher, for an
 * invalid executor, and when the input can't be written as JSON
 * @throws {DOMException} `AbortError` within 250 ms of `signal`
 */
export async function runHooks(
  config: HooksConfig,
  event: HookEvent,
  input: HookInput,
  options: RunHooksOptions = {},
): Promise<HookOutcome> {
  if ((options.hookDepth ?? 0) > 0) return NO_OUTCOME;
  const executors = hookExecutors(options);
  const types = [...executors.keys()];
  await readUsableHooks(config, { types });
  const hooks = new PreparedHooks(config, types);
  if (!hooks.has(event)) return NO_OUTCOME;
  if (input.hook_event_name !== event) {
    throw new ValidationError(`The input is one of ${input.hook_event_name}, not of ${event}`);
  }
  const { signal } = options;
  return runPrepared(hooks, input, executors, options, signal ? [signal] : []);
}

/**
 * The executors of the built-in types that the host allows, and its own.
 * @throws {ValidationError} for an invalid executor
 */
export function hookExecutors(host: HookHost): ReadonlyMap<string, HookTypeExecutor> {
  const { platform } = host;
  const builtIn: HookTypeExecutor[] = [
    ...(platform ? [commandExecutor(platform.shell), httpExecutor(platform, host.egress)] : []),
    promptExecutor(host.ask),
    agentExecutor(host.runAgent),
    functionExecutor(),
  ];
  const executors = new Map(builtIn.map((executor) => [executor.type, executor]));
  for (const [type, executor] of readExecutors(host.executors)) executors.set(type, executor);
  return executors;
}

/** The same for hooks that were read before. Each of `signals` stops them. */
export async function runPrepared(
  prepared: PreparedHooks,
  input: HookInput,
  executors: ReadonlyMap<string, HookTypeExecutor>,
  host: HookHost,
  signals: readonly AbortSignal[],
): Promise<HookOutcome> {
  if (signals.some(({ aborted }) => aborted)) throw abortError();
  const event = input.hook_event_name;
  const { hooks, warnings } = await prepared.select(event, matchedText(input));
  if (hooks.length === 0 && warnings.length === 0) return NO_OUTCOME;
  const json = toJson(input);
  const options = { executors, signals, projectDir: host.projectDir ?? input.cwd };
  const run = async (hook: PreparedHook): Promise<HookReport> => {
    // The platform's clock can be set back or forward meanwhile.
    const start = performance.now();
    let used: HookUsage | undefined;
    const onUsage = (reported: HookUsage): void => void (used = reported);
    const finish = (
      result: Pick<HookResult, "exitCode"> & Partial<HookResult>,
      outcome: HookRunOutcome,
      reason?: string,
    ): void => {
      const durationMs = Math.round(performance.now() - start);
      const end = defined({
        exitCode: result.exitCode,
        durationMs,
        outcome,
        reason: reason || undefined,
        ...used,
        ...textsOf(hook, json, result),
      });
      const record = recordOf(event, hook, end);
      callSafely(() => host.onRun?.(record));
    };
    try {
      // A copy for each hook, so that none sees another one's changes.
      const report = await runOne(hook, JSON.parse(json) as HookInput, { ...options, onUsage });
      const reason = judges(hook) ? report.verdict.block?.reason : undefined;
      finish(report.result, outcomeOf(report), reason);
      return report;
    } catch (aborted) {
      finish({ exitCode: 130 }, "aborted");
      throw aborted;
    }
  };
  // All of them have ended before an abort is passed on.
  const settled = await Promise.allSettled(hooks.map(run));
  const reports = settled.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
  return combine(event, reports, warnings);
}

/** The texts of a run for its record. */
function textsOf(
  { hook }: PreparedHook,
  input: string,
  { stdout = "", stderr = "" }: Partial<HookResult>,
): Pick<HookRun, "input" | "output"> {
  const secrets = hook ? hookSecrets(hook) : [];
  const safe = (text: string): string => headAndTail(redact(text, secrets), RECORDED_TEXT);
  const output = [stdout, stderr]
    .map((text) => text.trimEnd())
    .filter(Boolean)
    .join("\n");
  return defined({ input: safe(input), output: output === "" ? undefined : safe(output) });
}

function toJson(input: HookInput): string {
  try {
    return JSON.stringify(input);
  } catch (cause) {
    throw new ValidationError("Input of hooks must be plain data", { cause });
  }
}

function recordOf(
  event: HookEvent,
  { matcher, label, layer }: PreparedHook,
  end: Omit<HookRun, "event" | "matcher" | "hook" | "layer">,
): HookRun {
  return defined({ event, matcher, hook: label, layer, ...end });
}

/** True for a hook whose answer is a verdict. */
function judges({ hook }: PreparedHook): boolean {
  return hook?.type === "agent" || (hook?.type === "prompt" && hook["judge"] === true);
}

function outcomeOf({ verdict, timedOut }: HookReport & { timedOut: boolean }): HookRunOutcome {
  if (timedOut) return "timed_out";
  if (verdict.block) return "blocked";
  if (verdict.stop) return "stopped";
  return verdict.problem === undefined ? "allowed" : "failed";
}
