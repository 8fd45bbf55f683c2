import type { TokenUsage } from "../messages/message.ts";
import type { HookDefinition } from "./definition.ts";
import type { HookInput } from "./events.ts";
import type { HookResult } from "./result.ts";

/** Usage by the model or the agent of a hook. */
export interface HookUsage {
  usage: TokenUsage;
  /** The model, by whose price resumed sessions count; the session's own when omitted. */
  model?: string;
  /** Dollars, where the model's prices are known. */
  cost?: number;
}

/** Context of a running hook. */
export interface HookContext {
  /**
   * Aborts on the hook's timeout or when the turn is stopped. An executor should settle within 100 ms; later results
   * are dropped.
   */
  signal: AbortSignal;
  /** Working directory at the session's start, absolute. */
  projectDir: string;
  /** Reports what the hook used, for the record of its run; the last report counts. */
  onUsage?: ((used: HookUsage) => void) | undefined;
}

/**
 * Carries out the hooks of one type. `execute` may reject: the hook counts as failed. Give your own to `runHooks` for
 * types such as `acme:chat`; one for a built-in type takes that type's place.
 */
export interface HookTypeExecutor<Hook extends HookDefinition = HookDefinition> {
  readonly type: string;
  /** Loads what `execute` needs; a hook's time begins afterwards. A failure shows in `execute`. */
  load?(): Promise<void>;
  execute(hook: Hook, input: HookInput, context: HookContext): Promise<HookResult>;
}

/** Executors as a list or a set of them, or by the type of the hooks that they carry out. */
export type HookExecutors =
  | Iterable<HookTypeExecutor>
  | ReadonlyMap<string, HookTypeExecutor>
  | Readonly<Record<string, HookTypeExecutor>>;

/** Characters of stdout, and of stderr, that are kept. A command's are kept as 64 KB together. */
export const HOOK_OUTPUT_LIMIT = 64 * 1024;

/** The result of a silent hook, which allows. */
export const SILENT: Readonly<HookResult> = Object.freeze({ exitCode: 0, stdout: "", stderr: "" });
