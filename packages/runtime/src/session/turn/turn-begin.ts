import { defined } from "../../defined.ts";
import { type Content, contentText, type UserMessage } from "../../messages/message.ts";
import type { ReportParts } from "../agents/take-reports.ts";
import type { Clock } from "../../ports/assemble.ts";
import { blockedBy } from "../hooks/blocked-by.ts";
import type { SessionHooks } from "../hooks/session-hooks.ts";
import type { StartHooks } from "../hooks/start-hooks.ts";
import type { MentionParts } from "../mentions/attach-mentions.ts";
import type { SessionEventBody } from "../log/events.ts";
import type { SessionWriter } from "../log/session-writer.ts";
import type { SessionOptions, TurnInput } from "../options.ts";
import { queueUpdate } from "../queue.ts";
import type { SkillModelParts } from "./skill-model.ts";
import { type ContextReportParts, reportContext } from "../state/report-context.ts";
import { keepHeader } from "../store/header-writer.ts";

export interface TurnBeginParts extends ContextReportParts, ReportParts, MentionParts {
  readonly clock: Clock;
  readonly writer: SessionWriter;
  readonly hooks: SessionHooks;
  readonly startHooks: StartHooks;
  readonly options: SkillModelParts["options"] &
    ContextReportParts["options"] &
    Pick<SessionOptions, "readsMentions">;
}

/**
 * Records a turn's beginning, with additions of hooks for the model.
 * @throws {RobotaError} `HOOK_BLOCKED`; then no turn was begun
 */
export async function beginTurn(
  parts: TurnBeginParts,
  {
    input,
    displayInput,
    rawInput,
    skill,
    request,
    queue,
    isQueuePaused,
    responseFormat,
  }: TurnInput,
  content: Content,
  signal: AbortSignal,
): Promise<void> {
  const { writer, clock } = parts;
  const prompt = rawInput ?? input;
  const contexts = await contextsFor(parts, prompt, signal);
  const shown = displayInput ?? (contexts.length > 0 ? input : undefined);
  const message: UserMessage = {
    role: "user",
    id: clock.randomUUID(),
    timestamp: new Date(clock.now()),
    content: withContexts(await withMentions(parts, content, { prompt, signal }), contexts),
  };
  const use = skill === undefined ? [] : [await skillUse(parts, skill, displayInput ?? input)];
  await writer.commit(
    defined({
      type: "turn_start",
      input: contentText(content),
      displayInput: shown,
      request,
      responseFormat,
    }),
    { type: "user_message", message },
    ...use,
    ...(queue ? [queueUpdate(queue, isQueuePaused?.())] : []),
  );
  // Behind the prompt, which identifies the turn.
  if (parts.state.agents.length > 0) {
    const { takeReports } = await import("../agents/take-reports.ts");
    await takeReports(parts);
  }
  writer.saveHeader(keepHeader);
  reportContext(parts);
}

async function skillUse(
  parts: TurnBeginParts,
  skillName: string,
  displayInput: string,
): Promise<SessionEventBody> {
  const { skillUseEvent } = await import("./skill-model.ts");
  return skillUseEvent(parts, { skillName, displayInput });
}

async function contextsFor(
  { hooks, startHooks }: TurnBeginParts,
  prompt: string,
  signal: AbortSignal,
): Promise<string[]> {
  const started = await startHooks.take(signal);
  const outcome = await hooks.run("UserPromptSubmit", { prompt }, signal);
  if (outcome?.blocked) throw blockedBy("The prompt", outcome.reason);
  return [started, outcome?.additionalContext].filter((text) => text !== undefined);
}

/** Most prompts mention nothing, and then skip loading the code for it. */
async function withMentions(
  parts: TurnBeginParts,
  content: Content,
  asked: { prompt: string; signal: AbortSignal },
): Promise<Content> {
  if (!parts.options.readsMentions || !asked.prompt.includes("@")) return content;
  const { attachMentions } = await import("../mentions/attach-mentions.ts");
  return attachMentions(parts, content, asked);
}

/** Appends to the prompt, so that a prompt cache keeps everything before it. */
function withContexts(content: Content, contexts: readonly string[]): Content {
  if (contexts.length === 0) return content;
  const texts = contexts.map((text) => `<hook-context>\n${text}\n</hook-context>`);
  if (typeof content === "string") return [content, ...texts].join("\n\n");
  return [...content, ...texts.map((text) => ({ type: "text" as const, text }))];
}
