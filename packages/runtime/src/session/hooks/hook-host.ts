import { defined } from "../../defined.ts";
import type { EgressPolicy } from "../../network/policy.ts";
import { abortError } from "../../errors.ts";
import type { HookRunnerOptions } from "../../hooks/hook-runner.ts";
import type { HookHost } from "../../hooks/run-hooks.ts";
import type { AskModel } from "../../hooks/executors/prompt.ts";
import { contentText } from "../../messages/message.ts";
import type { Platform } from "../../ports/platform.ts";
import type { Approvals } from "../approvals/approvals.ts";
import type { SessionLog } from "../log/log.ts";
import type { SessionOptions } from "../options.ts";
import type { TurnMeters } from "../turn-meters.ts";
import type { SessionState } from "../state/state.ts";
import { pricedUsage } from "../../context/models.ts";

export interface HookParts {
  readonly options: SessionOptions;
  readonly hostPlatform: Platform;
  readonly sessionId: string;
  readonly log: SessionLog;
  readonly state: SessionState;
  readonly approvals: Approvals;
  /** Counts the usage of prompt and agent hooks. */
  readonly meters: TurnMeters;
}

/** The resources of a session's hooks: its shell and network, its model, and an agent with fewer rights. */
export function hookHost(parts: HookParts): HookHost & Pick<HookRunnerOptions, "agent"> {
  const { options, hostPlatform } = parts;
  return {
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
  };
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
