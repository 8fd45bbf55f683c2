import { defined } from "../../defined.ts";
import { errorFacts, errorMessage, RobotaError } from "../../errors.ts";
import type { ToolErrorCode } from "../../messages/tool-error-code.ts";
import type { ReasoningEffort } from "../../providers/provider.ts";
import type { DelegatedSession, Delegation } from "../../session/agents/delegation.ts";
import type { ModelUsage, SessionEventBody } from "../../session/log/events.ts";
import { reasonOfInterruption } from "../../session/log/notes.ts";
import { headAndTail } from "../../tools/text-limit.ts";
import type { ToolContext, ToolResult } from "../../tools/tool.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import type { AgentArgs, AgentToolOptions } from "./agent-tool.ts";
import type { IsolatedWork } from "./isolated-work.ts";
import { withWantedModel } from "./model-choice.ts";
import { nestedAgents } from "./nested-agents.ts";
import { subagentOptions } from "./subagent-options.ts";

/** Hooks that want an agent to go on are heard so often. */
const MAX_CONTINUATIONS = 3;
/** Characters of a report that the session's log keeps. */
const MAX_REPORT = 100_000;

/** The tool's options for its subagents. `isForkWorker` marks a skill's subagent, whose answer is short. */
type AgentParts = AgentToolOptions & {
  isForkWorker?: boolean;
  effort?: ReasoningEffort | undefined;
};

/** One agent at work. */
interface AgentWork {
  agent: { id: string; type: string };
  definition: AgentDefinition;
  args: AgentArgs;
  /** The call that started it; in the background, with a signal and a budget of its own. */
  context: ToolContext;
  delegation: Delegation;
  isBackground: boolean;
  isolation: IsolatedWork | undefined;
}

/**
 * Runs one agent, as often as hooks want it to go on; the result is its report. In the background, the result says
 * that it runs, once that is durable.
 */
export async function runAgent(
  definition: AgentDefinition,
  args: AgentArgs,
  call: ToolContext,
  parts: AgentParts,
): Promise<ToolResult> {
  const agent = { id: parts.randomUUID(), type: definition.name };
  const isBackground = args.run_in_background === true;
  const controller = new AbortController();
  const context = scopeOf(call, controller.signal, isBackground);
  const delegation = await parts.delegate(context, agent);
  const { running } = delegation;
  if (isBackground && !running.takePlace(agent.id))
    return failed("Too many agents already run in the background: collect a report first.");
  try {
    const isolation = await isolationOf(definition, args, delegation, parts);
    if (isolation && "refusal" in isolation) return failed(isolation.refusal);
    const work = { agent, definition, args, context, delegation, isBackground, isolation };
    await delegation.record(startOf(work, parts));
    if (!isBackground) return await attached(work, parts, { call, controller });
    running.addInBackground(agent.id, controller, inBackground(work, parts));
  } finally {
    running.leavePlace(agent.id);
  }
  return {
    success: true,
    output: `The agent runs in the background, as ${agent.id}. When it has ended, a message says so, and its report can be collected by this id.`,
    data: { agentId: agent.id, agentType: agent.type, background: true },
  };
}

/** Works while the call waits. */
async function attached(
  work: AgentWork,
  parts: AgentParts,
  { call, controller }: { call: ToolContext; controller: AbortController },
): Promise<ToolResult> {
  const { agent, delegation } = work;
  const { running } = delegation;
  running.add(agent.id, controller);
  try {
    const result = await carryOut(work, parts);
    call.signal.throwIfAborted();
    return { ...result, data: { agentId: agent.id, agentType: agent.type } };
  } finally {
    running.remove(agent.id);
  }
}

/** The part of a call that its agent gets: one in the background outlives the turn. */
function scopeOf(call: ToolContext, own: AbortSignal, isBackground: boolean): ToolContext {
  if (!isBackground) return { ...call, signal: AbortSignal.any([call.signal, own]) };
  const spending = call.spending?.detach();
  const alone = { signal: own, emit: () => undefined, endTurn: undefined };
  return { ...call, ...alone, ...defined({ spending }) };
}

async function isolationOf(
  definition: AgentDefinition,
  args: AgentArgs,
  delegation: Delegation,
  { ownTools }: AgentParts,
): Promise<IsolatedWork | { refusal: string } | undefined> {
  if ((definition.isolation ?? args.isolation) === undefined) return undefined;
  const { isolatedWork } = await import("./isolated-work.ts");
  return isolatedWork(delegation, ownTools);
}

function startOf(
  { agent, definition, args, context, delegation, ...work }: AgentWork,
  { effort }: Pick<AgentParts, "effort">,
): SessionEventBody {
  return defined({
    type: "agent_start",
    parentId: context.toolCallId,
    agentId: agent.id,
    agent: agent.type,
    prompt: headAndTail(args.prompt, MAX_REPORT),
    model: modelOf({ definition, args, delegation }),
    effort,
    description: args.description,
    background: work.isBackground || undefined,
    isolation: work.isolation ? "overlay" : undefined,
  });
}

function modelOf({
  definition,
  args,
  delegation,
}: Pick<AgentWork, "definition" | "args" | "delegation">): string {
  return withWantedModel(delegation.options.provider, args.model ?? definition.model).model;
}

/** Observes the person's own files, as a turn does, and never rejects: nobody waits. */
async function inBackground(work: AgentWork, parts: AgentParts): Promise<ToolResult> {
  try {
    const ended = await work.delegation.watch?.();
    try {
      return await carryOut(work, parts);
    } finally {
      await ended?.();
    }
  } catch (error) {
    return failed(errorMessage(error));
  }
}

/** Works to the end, and records it. */
async function carryOut(work: AgentWork, parts: AgentParts): Promise<ToolResult> {
  const { delegation, agent, context, isBackground } = work;
  let used = (): ModelUsage[] => [];
  let result: ToolResult;
  try {
    result = await report(work, parts, (session) => {
      used = delegation.follow(session, modelOf(work));
    });
  } catch (error) {
    result = failed(`The agent did not finish: ${errorFacts(error).message}`);
  }
  const { signal } = context;
  if (signal.aborted) result = interrupted(delegation.running.endingOf(agent.id), result);
  const output = typeof result.output === "string" ? result.output : "";
  const state = result.success ? "complete" : signal.aborted ? "interrupted" : "failed";
  const spent = used();
  await delegation.record(
    defined({
      type: "agent_end",
      parentId: context.toolCallId,
      agentId: agent.id,
      state,
      response: headAndTail(output, MAX_REPORT),
      used: isBackground && spent.length > 0 ? spent : undefined,
      error: !result.success
        ? { code: result.errorCode ?? "", message: firstLine(output) }
        : undefined,
    }),
  );
  return result;
}

async function report(
  { agent, definition, args, context, delegation, isBackground, isolation }: AgentWork,
  parts: AgentParts,
  follow: (session: DelegatedSession) => void,
): Promise<ToolResult> {
  const { notifyHooks, open } = delegation;
  const begun = await notifyHooks("SubagentStart", {});
  const options = subagentOptions({
    ...delegation.options,
    ...isolation?.options,
    definition,
    context: parts.instructions,
    model: args.model,
    isForkWorker: parts.isForkWorker,
    effort: parts.effort,
    notice: isolation?.notice,
  });
  await using session = open({ ...options, ...nestedAgents(definition, parts) });
  follow(session);
  session.subscribe((event) => {
    const reason = reasonOfInterruption(event);
    if (reason !== undefined) context.endTurn?.(reason, agent.id);
  });
  if (!isBackground)
    session.subscribe((event) => {
      if (event.type === "tool_start") context.emit({ text: `${event.tool} ${event.firstArg}\n` });
    });
  const { prompt } = args;
  let input = begun?.additionalContext ? `${prompt}\n\n${begun.additionalContext}` : prompt;
  for (let round = 0; ; round++) {
    const result = await turnOf(session, input, context.signal);
    if (context.signal.aborted) return isolation ? isolation.settle(result) : result;
    const outcome = await notifyHooks(
      "SubagentStop",
      defined({
        stop_hook_active: round > 0,
        last_assistant_message: typeof result.output === "string" ? result.output : undefined,
      }),
    );
    const goesOn = outcome?.blocked && round < MAX_CONTINUATIONS && result.success;
    if (!goesOn) return isolation ? isolation.settle(result) : result;
    input = outcome.reason ?? "Go on.";
  }
}

async function turnOf(
  session: DelegatedSession,
  input: string,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { state, response, error } = await session.runTurn({ input, signal });
  if (state === "complete" && response !== "") return { success: true, output: response };
  const why = error === undefined ? "It gave no answer." : errorFacts(error).message;
  const soFar = response === "" ? "" : `\n\nIts words so far:\n${response}`;
  return {
    success: false,
    output: `The agent did not finish: ${why}${soFar}`,
    errorCode: error instanceof RobotaError ? error.code : ("agent_failed" satisfies ToolErrorCode),
  };
}

const ENDINGS = {
  stopped: "The agent was stopped.",
  shutdown: "The agent was interrupted: the session was shut down.",
};

/** A result that was complete when the abort came stays. */
function interrupted(ending: keyof typeof ENDINGS | undefined, result: ToolResult): ToolResult {
  if (result.success) return result;
  const why = ending ? ENDINGS[ending] : "The agent was interrupted with the turn.";
  const output = typeof result.output === "string" ? result.output : "";
  const words = output.split("\n\nIts words so far:\n").slice(1).join("");
  return {
    success: false,
    output: words === "" ? why : `${why}\n\nIts words so far:\n${words}`,
    errorCode: "aborted" satisfies ToolErrorCode,
  };
}

function failed(output: string): ToolResult {
  return { success: false, output, errorCode: "agent_failed" satisfies ToolErrorCode };
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
