import { callProvider } from "../agent/provider-call.ts";
import { abortError, ConfigurationError } from "../errors.ts";
import type { RunHookAgent } from "../hooks/executors/agent.ts";
import type { AskModel } from "../hooks/executors/prompt.ts";
import { contentText, type JsonObject } from "../messages/message.ts";
import type { Platform } from "../ports/platform.ts";
import type { PermissionGate } from "./gate.ts";
import type { SessionLog } from "./log.ts";
import type { SessionOptions } from "./options.ts";
import { SessionHooks } from "./session-hooks.ts";
import type { SessionState } from "./state.ts";

/** Provider calls of a hook's agent at the most. */
const AGENT_ROUNDS = 50;

export interface HookParts {
  options: SessionOptions;
  base: Platform;
  sessionId: string;
  log: SessionLog;
  state: SessionState;
  /** There when the first hook runs. */
  gate: () => PermissionGate;
}

/** The hooks of a session, with what they may use: its shell and network, its model, and an agent with fewer rights. */
export function createHooks(parts: HookParts): SessionHooks {
  const { options, base, sessionId, log, state } = parts;
  return new SessionHooks({
    config: (options.hookDepth ?? 0) > 0 ? undefined : options.hooks,
    host: {
      platform: base,
      ask: askModel(options),
      runAgent: runAgent(parts),
      ...options.hookHost,
      ...(options.hookDepth === undefined ? {} : { hookDepth: options.hookDepth }),
    },
    sessionId,
    log,
    state,
  });
}

function askModel({ provider }: SessionOptions): AskModel {
  return async (prompt, { signal }) => {
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
    if (answer.state === "interrupted") throw abortError();
    return contentText(answer.content);
  };
}

/** An agent of a hook has the session's tools, and of its rights only those that nobody has to be asked for. */
function runAgent({ options, base, state, gate }: HookParts): RunHookAgent {
  return async (agent, input, config, { signal }) => {
    const { Robota } = await import("../agent/robota.ts");
    const robota = new Robota({
      provider: options.provider,
      tools: options.tools ?? [],
      platform: base,
      cwd: state.cwd,
      systemMessage: textOf(config, "systemPrompt") ?? `You are the agent "${agent}".`,
      maxExecutionRounds: AGENT_ROUNDS,
      authorize: (_call, tool, args) => {
        const { decision, reason } = gate().explain(tool, args);
        if (decision === "auto") return { allow: true, args };
        return { allow: false, content: `Not allowed. ${reason}`, errorCode: "permission_denied" };
      },
    });
    const result = await robota.run(input, { signal });
    if (result.interrupted) throw abortError();
    if (result.error !== undefined) throw result.error;
    return result.text;
  };
}

function textOf(config: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(config, name) ? config[name] : undefined;
  if (value === undefined || typeof value === "string") return value;
  throw new ConfigurationError(`${name} of a hook's agent is no text`);
}
