import { defined } from "../defined.ts";
import type { HooksConfig } from "../hooks/definition.ts";
import { HookRunner } from "../hooks/hook-runner.ts";
import type { HookHost } from "../hooks/run-hooks.ts";
import type { Message } from "../messages/message.ts";
import type { Platform } from "../ports/platform.ts";
import type { Provider } from "../providers/provider.ts";
import { blockedBy } from "../session/hooks/blocked-by.ts";
import { summarise } from "../session/turn/summarise.ts";

export interface CompactionOrchestratorOptions {
  provider: Provider;
  /** Platform whose shell and network run hooks, and whose clock and ids are used. */
  platform: Platform;
  sessionId: string;
  /** Absolute; `/` when omitted. */
  cwd?: string | undefined;
  hooks?: HooksConfig | undefined;
  hookHost?: Pick<HookHost, "executors" | "ask" | "runAgent" | "egress"> | undefined;
  /** Default instructions for the summary. */
  compactInstructions?: string | undefined;
  /** Milliseconds without any progress after which a provider call fails; no limit when omitted. */
  providerTimeout?: number | undefined;
}

export interface CompactOptions {
  instructions?: string | undefined;
  /** `manual` when omitted. */
  trigger?: "auto" | "manual" | undefined;
  signal?: AbortSignal | undefined;
}

/** Summarises a history outside of a session with a provider. A session does all of it with `compact`. */
export class CompactionOrchestrator {
  readonly #options: CompactionOrchestratorOptions;
  readonly #hooks: HookRunner;

  constructor(options: CompactionOrchestratorOptions) {
    const { platform, sessionId, cwd = "/", hooks = {}, hookHost } = options;
    this.#options = options;
    this.#hooks = new HookRunner(hooks, { platform, ...hookHost, sessionId, cwd: () => cwd });
  }

  /**
   * Resolves to the summary; the history is unchanged. System messages are not summarised. Runs the hooks `PreCompact`
   * before and `PostCompact` after.
   * @throws {RobotaError} `HOOK_BLOCKED`, `COMPACTION_FAILED`
   * @throws {DOMException} `AbortError`
   */
  async compact(history: readonly Message[], options: CompactOptions = {}): Promise<string> {
    const { provider, platform, compactInstructions = "", providerTimeout = 0 } = this.#options;
    const { trigger = "manual", signal = new AbortController().signal } = options;
    const wishes = options.instructions ?? compactInstructions;
    const fields = defined({ trigger, custom_instructions: wishes || undefined });
    const said = await this.#hooks.run("PreCompact", fields, { signal });
    if (said.blocked) throw blockedBy("The compaction", said.reason);
    const { text: summary } = await summarise({
      provider,
      messages: history.filter(({ role }) => role !== "system"),
      instructions: [wishes, said.additionalContext ?? ""]
        .filter((text) => text !== "")
        .join("\n\n"),
      idleTimeoutMs: providerTimeout,
      onUnused: () => undefined,
      signal,
      now: () => platform.now(),
      randomUUID: () => platform.randomUUID(),
    });
    // The summary is kept, whatever its hooks do.
    await this.#hooks
      .run("PostCompact", { trigger, compact_summary: summary })
      .catch(() => undefined);
    return summary;
  }
}
