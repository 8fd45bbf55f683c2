import { runLoop } from "../../agent/loop.ts";
import type { Authorization } from "../../agent/tool-batch.ts";
import { ContextTracker } from "../../context/tracker.ts";
import { getModelContextWindow, pricedUsage } from "../../context/models.ts";
import { abortError, ConfigurationError } from "../../errors.ts";
import type { JsonObject, Message, ToolArgs, ToolCall } from "../../messages/message.ts";
import { createRequestView } from "../../messages/project.ts";
import { clockOf } from "../../ports/assemble.ts";
import { isAgentStarter } from "../../permissions/rules/tool-facts.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import type { HookContext } from "../../hooks/executor.ts";
import { callBounds } from "../call-bounds.ts";
import type { HookParts } from "./hook-host.ts";
import type { HookAgent } from "../options.ts";

/** Tool rounds after which the final answer is requested at the latest. */
const MAX_ROUNDS = 50;

/**
 * Runs the agent of a hook and resolves to its answer. It has the session's tools, restricted to calls that need no
 * approval; no hook runs inside of it, and nothing of it is stored.
 */
export async function runHookAgent(
  parts: HookParts,
  agent: string,
  input: string,
  config: JsonObject,
  { signal, onUsage }: Pick<HookContext, "signal" | "onUsage">,
): Promise<string> {
  const { options, hostPlatform } = parts;
  const { provider, tools = [], systemMessage, maxTurns } = await agentOf(parts, agent, config);
  const { models } = options;
  const clock = clockOf(hostPlatform);
  const timestamp = new Date(clock.now());
  const messages: Message[] = [{ role: "user", id: clock.randomUUID(), timestamp, content: input }];
  const state = new Map<string, unknown>();
  const result = await runLoop({
    provider,
    conversation: { messages, addAssistant: (message) => void messages.push(message) },
    tools: new Map(tools.filter((tool) => !isAgentStarter(tool)).map((tool) => [tool.name, tool])),
    view: createRequestView(systemMessage ?? "", timestamp),
    signal,
    maxRounds: Math.min(maxTurns || MAX_ROUNDS, MAX_ROUNDS),
    ...callBounds(options),
    tracker: new ContextTracker(getModelContextWindow(provider.model, models)),
    batch: {
      context: (call) => contextFor(parts, call, signal, state),
      authorize: (_call, tool, args) => authorize(parts, tool, args),
      onEnd: ({ message }) => void messages.push(message),
    },
    onEvent: () => undefined,
    ...clock,
  });
  onUsage?.(pricedUsage(result.usage, provider, models));
  if (result.interrupted) throw abortError();
  if (result.error !== undefined) throw result.error;
  return result.text;
}

/** The agent of that name, or one that the hook describes itself. @throws {ConfigurationError} when there is neither */
async function agentOf(
  { options, hostPlatform, state }: HookParts,
  name: string,
  config: JsonObject,
): Promise<HookAgent> {
  const { roots } = options;
  const prompt = textOf(config, "systemPrompt");
  const session = {
    provider: options.provider,
    tools: options.tools ?? [],
    platform: hostPlatform,
    cwd: state.cwd,
    roots,
  };
  if (prompt !== undefined) return { ...session, systemMessage: prompt };
  if (options.hookAgents) return options.hookAgents(name, session);
  throw new ConfigurationError(`There is no agent "${name}" in this session`, {
    hint: "Use an InteractiveSession, whose agents have names, or put a systemPrompt into the hook's config.",
  });
}

async function authorize(
  { approvals }: HookParts,
  tool: Tool,
  args: ToolArgs,
): Promise<Authorization> {
  await approvals.rules.load();
  const { decision, reason } = approvals.rules.explain(tool, args);
  if (decision === "auto") return { allow: true, args };
  return { allow: false, content: `Not allowed. ${reason}`, errorCode: "permission_denied" };
}

function contextFor(
  { hostPlatform, state, sessionId, approvals }: HookParts,
  call: ToolCall,
  signal: AbortSignal,
  toolState: Map<string, unknown>,
): ToolContext {
  return {
    platform: hostPlatform,
    cwd: state.cwd,
    signal,
    toolCallId: call.id,
    ownerPath: [
      { ownerType: "session", ownerId: sessionId },
      { ownerType: "tool", ownerId: call.id },
    ],
    emit: () => undefined,
    state: toolState,
    memory: new Map(),
    rules: approvals.rules.accessRules(call, { platform: hostPlatform }),
  };
}

function textOf(config: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(config, name) ? config[name] : undefined;
  if (value === undefined || typeof value === "string") return value;
  throw new ConfigurationError(`${name} of a hook's agent is not text`);
}
