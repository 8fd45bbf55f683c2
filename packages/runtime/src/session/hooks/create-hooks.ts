import { defined } from "../../defined.ts";
import type { EgressPolicy } from "../../network/policy.ts";
import { abortError } from "../../errors.ts";
import type { HookUsage } from "../../hooks/executor.ts";
import type { AskModel } from "../../hooks/executors/prompt.ts";
import { contentText } from "../../messages/message.ts";
import type { Platform } from "../../ports/platform.ts";
import type { Approvals } from "../approvals/approvals.ts";
import type { SessionLog } from "../log/log.ts";
import type { SessionOptions } from "../options.ts";
import { type HookAnswers, SessionHooks } from "./session-hooks.ts";
import type { SessionState } from "../state/state.ts";
import { pricedUsage } from "../../context/models.ts";

export interface HookParts {
  options: SessionOptions;
  hostPlatform: Platform;
  sessionId: string;
  log: SessionLog;
  state: SessionState;
  /** Available when the first hook runs. */
  approvals: () => Approvals;
  /** Counts the usage of prompt and agent hooks. */
  onUsage: (used: HookUsage) => void;
  /** Instead of the configuration's hooks. */
  answers?: HookAnswers | undefined;
}

/**
 * Creates the hooks of a session with their resources: its shell and network, its model, and an agent with fewer
 * rights.
 */
export function createHooks(parts: HookParts): SessionHooks {
  const { options, hostPlatform, sessionId, log, state, answers } = parts;
  return new SessionHooks({
    config: () => ((options.hookDepth ?? 0) > 0 ? undefined : options.hooks),
    host: () => ({
      platform: hostPlatform,
      ask: askModel(options),
      runAgent: async (...args) => {
        const { runHookAgent } = await import("./hook-agent.ts");
        return runHookAgent(parts, ...args);
      },
      ...defined(options.hookHost ?? {}),
      // Settings have been read by then.
      egress: egressOf(options),
      agent: options.agent,
      hookDepth: options.hookDepth,
    }),
    sessionId,
    log,
    state,
    answers,
    onUsage: parts.onUsage,
  });
}

/** Addresses of http hooks besides the public internet. */
function egressOf({ hookHost, hookOrigins = [] }: SessionOptions): EgressPolicy {
  const { egress = {} } = hookHost ?? {};
  return {
    ...egress,
    allowPrivateOrigins: [...(egress.allowPrivateOrigins ?? []), ...hookOrigins],
  };
}

function askModel({ provider, models }: SessionOptions): AskModel {
  return async (prompt, { signal, onUsage }) => {
    const { callProvider } = await import("../../agent/provider-call.ts");
    const now = (): number => Date.now();
    const answer = await callProvider({
      provider,
      messages: [{ role: "user", id: "hook", timestamp: new Date(now()), content: prompt }],
      options: {},
      signal,
      idleTimeoutMs: 0,
      messageId: "hook-answer",
      now,
      onEvent: () => undefined,
    });
    if (answer.usage) onUsage?.(pricedUsage(answer.usage, provider, models));
    if (answer.state === "interrupted") throw abortError();
    return contentText(answer.content);
  };
}
