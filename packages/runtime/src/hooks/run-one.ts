import { defined } from "../defined.ts";
import { ABORT_GRACE_MS, abortError, errorMessage } from "../errors.ts";
import { redact } from "../messages/redact.ts";
import { cutEnd } from "../tools/text-cut.ts";
import { headAndTail, OUTPUT_LIMIT } from "../tools/text-limit.ts";
import type { HookInput } from "./events.ts";
import { HOOK_OUTPUT_LIMIT, type HookTypeExecutor, type HookUsage } from "./executor.ts";
import { hookSecrets } from "./label.ts";
import type { HookReport } from "./outcome.ts";
import type { PreparedHook } from "./prepare.ts";
import { isSilent, readResult, type Verdict } from "./read-result.ts";
import type { HookResult } from "./result.ts";

/** Time to settle after a timeout. */
const SETTLE_AFTER_TIMEOUT_MS = 1000;
const MAX_MESSAGE = 1000;
const NO_RESULT: HookResult = { exitCode: 1, stdout: "", stderr: "" };

export interface RunOneOptions {
  executors: ReadonlyMap<string, HookTypeExecutor>;
  /** Aborting any of them ends the hook. */
  signals: readonly AbortSignal[];
  projectDir: string;
  onUsage?: ((used: HookUsage) => void) | undefined;
}

/**
 * Runs one hook within its timeout. Any outcome, including exceptions, becomes a report.
 * @throws {DOMException} `AbortError` as soon as one of the caller's signals aborts and the hook has ended, 100 ms
 * later at most
 */
export async function runOne(
  prepared: PreparedHook,
  input: HookInput,
  options: RunOneOptions,
): Promise<HookReport & { timedOut: boolean }> {
  const { hook, label, onFailure, timeoutMs } = prepared;
  const secrets = hook ? hookSecrets(hook) : [];
  const report = (result: HookResult, verdict: Verdict, timedOut = false) => ({
    label,
    result: capped(result),
    verdict: presentable(verdict, secrets),
    onFailure,
    timedOut,
  });
  if (!hook) return report(NO_RESULT, { problem: prepared.problem ?? "can't be used" });
  const executor = options.executors.get(hook.type);
  if (!executor) return report(NO_RESULT, { problem: "can't run here: its type has no executor" });

  const ended = await withinTime(options.signals, timeoutMs, {
    load: executor.load?.bind(executor),
    execute: (signal) =>
      executor.execute(hook, input, {
        signal,
        projectDir: options.projectDir,
        onUsage: options.onUsage,
      }),
  });
  if ("result" in ended) {
    const result = capped(ended.result);
    return report(result, readResult(input.hook_event_name, result));
  }
  if ("error" in ended) {
    const stderr = redact(errorMessage(ended.error), secrets);
    return report({ ...NO_RESULT, stderr }, { problem: `failed: ${stderr}` });
  }
  const problem = `took over ${timeoutMs / 1000} s`;
  return report({ exitCode: 124, stdout: "", stderr: `Hook ${problem}` }, { problem }, true);
}

type Ended = { result: HookResult } | { error: unknown } | { timedOut: true };

interface Work {
  /** Not counted in its time. */
  load: (() => Promise<void>) | undefined;
  execute: (signal: AbortSignal) => Promise<HookResult>;
}

async function withinTime(
  outer: readonly AbortSignal[],
  timeoutMs: number,
  { load, execute }: Work,
): Promise<Ended> {
  const isOver = (): boolean => outer.some(({ aborted }) => aborted);
  if (isOver()) throw abortError();
  const inner = new AbortController();
  const stopped = Promise.withResolvers<Ended | "aborted" | "timed out">();
  const stop = (reason: "aborted" | "timed out"): void => {
    stopped.resolve(reason);
    inner.abort(abortError());
  };
  const onAbort = (): void => stop("aborted");
  // Not `AbortSignal.any`, which costs more than all the rest of a run.
  for (const signal of outer) signal.addEventListener("abort", onAbort, { once: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    if (load) await Promise.race([load().catch(() => undefined), stopped.promise]);
    if (isOver()) throw abortError();
    timer = setTimeout(stop, timeoutMs, "timed out");
    // Both outcomes are handled here, so that late ones are dropped.
    const settled = Promise.resolve()
      .then(() => execute(inner.signal))
      .then(
        (result): Ended =>
          isResult(result) ? { result } : { error: new TypeError("It gave no result") },
        (error: unknown): Ended => ({ error }),
      );
    void settled.then(stopped.resolve);
    const first = await stopped.promise;
    if (typeof first === "object" && !isOver()) return first;
    const isAbort = isOver() || first === "aborted";
    await orAfter(settled, isAbort ? ABORT_GRACE_MS : SETTLE_AFTER_TIMEOUT_MS);
    if (isAbort) throw abortError();
    return { timedOut: true };
  } finally {
    clearTimeout(timer);
    for (const signal of outer) signal.removeEventListener("abort", onAbort);
  }
}

/** Executors and functions are foreign code: their results are validated despite their types. */
function isResult(result: unknown): result is HookResult {
  if (typeof result !== "object" || result === null) return false;
  const { exitCode, stdout, stderr }: { [Field in keyof HookResult]?: unknown } = result;
  return Number.isInteger(exitCode) && typeof stdout === "string" && typeof stderr === "string";
}

async function orAfter(settled: Promise<unknown>, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([settled, late.promise]);
  clearTimeout(timer);
}

function capped({ exitCode, stdout, stderr }: HookResult): HookResult {
  return {
    exitCode,
    stdout: cutEnd(stdout, HOOK_OUTPUT_LIMIT),
    stderr: cutEnd(stderr, HOOK_OUTPUT_LIMIT),
  };
}

/**
 * A verdict truncated for people, logs and models, without keys. Text for the model only keeps what looks like a key.
 */
function presentable(verdict: Verdict, secrets: readonly string[]): Verdict {
  if (isSilent(verdict)) return verdict;
  const { problem, systemMessage, block, stop, permission, additionalContext } = verdict;
  const safe = (text: string, limit = MAX_MESSAGE): string =>
    headAndTail(redact(text, secrets), limit);
  return {
    ...verdict,
    ...defined({
      problem: problem === undefined ? undefined : safe(problem),
      systemMessage: systemMessage === undefined ? undefined : safe(systemMessage),
      block: block ? { reason: safe(block.reason, OUTPUT_LIMIT) } : undefined,
      stop: stop ? { reason: safe(stop.reason) } : undefined,
      permission:
        permission?.reason === undefined
          ? undefined
          : { ...permission, reason: safe(permission.reason) },
      additionalContext:
        additionalContext === undefined ? undefined : headAndTail(additionalContext, OUTPUT_LIMIT),
    }),
  };
}
