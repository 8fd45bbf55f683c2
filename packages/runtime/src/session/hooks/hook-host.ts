import { defined } from "../../defined.ts";
import type { EgressPolicy } from "../../network/policy.ts";
import type { HookRunnerOptions } from "../../hooks/hook-runner.ts";
import type { HookHost } from "../../hooks/run-hooks.ts";
import type { AskModel } from "../../hooks/executors/prompt.ts";
import type { Platform } from "../../ports/platform.ts";
import type { Approvals } from "../approvals/approvals.ts";
import { callBounds } from "../call-bounds.ts";
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
    ask: modelOf(parts),
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

function modelOf({ options, hostPlatform }: HookParts): AskModel {
  const { provider, models } = options;
  return async (prompt, { signal, onUsage }) => {
    const { askModel } = await import("../../agent/ask-model.ts");
    const { text } = await askModel(
      { prompt },
      {
        provider,
        signal,
        ...callBounds(options),
        // The usage counts for the budgets, which are checked before each request of the turn.
        refuseCall: () => undefined,
        onAnswer: ({ usage }) => {
          if (usage) onUsage?.(pricedUsage(usage, provider, models));
        },
        now: () => hostPlatform.now(),
        randomUUID: () => hostPlatform.randomUUID(),
      },
    );
    return text;
  };
}
