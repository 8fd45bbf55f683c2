import { ConfigurationError } from "../../errors.ts";
import type { JsonObject } from "../../messages/message.ts";
import type { AgentHook } from "../definition.ts";
import type { HookContext, HookTypeExecutor } from "../executor.ts";
import { readVerdict, verdictRequest } from "./verdict.ts";

/**
 * Runs an agent by name and resolves to the text of its answer. It must pass on `hookDepth`, which disables hooks: a
 * hook whose agent fires hooks would never end.
 */
export type RunHookAgent = (
  agent: string,
  input: string,
  config: JsonObject,
  options: Pick<HookContext, "signal" | "onUsage"> & { hookDepth: number },
) => Promise<string>;

const TASK =
  "A hook asks you about an event of another agent's session. Look into it and judge it.";

/** Runs hooks of type `agent`. */
export function agentExecutor(runAgent?: RunHookAgent): HookTypeExecutor<AgentHook> {
  return {
    type: "agent",
    async execute({ agent, config = {} }, input, { signal, onUsage }) {
      if (!runAgent) {
        throw new ConfigurationError("No agent runner is configured", {
          hint: "Pass `runAgent` with hooks of the type agent.",
        });
      }
      const request = verdictRequest(TASK, input);
      const answer = await runAgent(agent, request, config, {
        signal,
        hookDepth: 1,
        onUsage,
      });
      return readVerdict(input.hook_event_name, answer);
    },
  };
}
