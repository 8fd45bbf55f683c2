import { RobotaError } from "../../errors.ts";
import type { ToolErrorCode } from "../../messages/tool-error-code.ts";
import type { DelegatedSession } from "../../session/delegation.ts";
import type { ToolContext, ToolResult } from "../../tools/tool.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import type { AgentArgs, AgentToolOptions } from "./agent-tool.ts";
import { subagentOptions } from "./subagent-options.ts";

/** Hooks that want an agent to go on are heard so often. */
const MAX_CONTINUATIONS = 3;

/** Runs one agent, as often as hooks want it to go on; the result is its report. */
export async function runAgent(
  definition: AgentDefinition,
  { prompt, model }: AgentArgs,
  context: ToolContext,
  {
    instructions,
    delegate,
    randomUUID,
    isForkWorker,
  }: Omit<AgentToolOptions, "agents"> & { isForkWorker?: boolean },
): Promise<ToolResult> {
  const agent = { id: randomUUID(), type: definition.name };
  const { options, notifyHooks, open } = await delegate(context, agent);
  const begun = await notifyHooks("SubagentStart", {});
  await using session = open(
    subagentOptions({
      ...options,
      definition,
      context: instructions,
      model,
      isForkWorker,
    }),
  );
  session.subscribe((event) => {
    if (event.type === "tool_start") context.emit({ text: `${event.tool} ${event.firstArg}\n` });
  });
  let input = begun?.additionalContext ? `${prompt}\n\n${begun.additionalContext}` : prompt;
  for (let round = 0; ; round++) {
    const result = await turnOf(session, input, context.signal);
    const outcome = await notifyHooks("SubagentStop", {
      stop_hook_active: round > 0,
      ...(typeof result.output === "string" && { last_assistant_message: result.output }),
    });
    const goesOn = outcome?.blocked && round < MAX_CONTINUATIONS && result.success;
    if (!goesOn) return { ...result, data: { agentId: agent.id, agentType: agent.type } };
    input = outcome.reason ?? "Go on.";
  }
}

async function turnOf(
  session: DelegatedSession,
  input: string,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { state, response, error } = await session.runTurn({ input, signal });
  if (state === "interrupted") signal.throwIfAborted();
  if (state === "complete" && response !== "") return { success: true, output: response };
  const why = error instanceof RobotaError ? error.message : "It gave no answer.";
  const soFar = response === "" ? "" : `\n\nIts words so far:\n${response}`;
  return {
    success: false,
    output: `The agent did not finish: ${why}${soFar}`,
    errorCode: error instanceof RobotaError ? error.code : ("agent_failed" satisfies ToolErrorCode),
  };
}
