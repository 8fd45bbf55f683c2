import { type Content, contentText, type UserMessage } from "../../messages/message.ts";
import { reportContext, type SessionCore } from "../core.ts";
import type { TurnInput } from "../options.ts";
import { queueUpdate } from "../queue.ts";
import { blockedBy } from "../hooks/session-hooks.ts";

/**
 * Puts a turn's beginning on record, with what hooks add for the model.
 * @throws {RobotaError} `HOOK_BLOCKED`; then nothing was begun
 */
export async function beginTurn(
  core: SessionCore,
  { input, displayInput, rawInput, request, queue }: TurnInput,
  content: Content,
  signal: AbortSignal,
): Promise<void> {
  const { journal, clock } = core;
  const contexts = await contextsFor(core, rawInput ?? input, signal);
  const shown = displayInput ?? (contexts.length > 0 ? input : undefined);
  const message: UserMessage = {
    role: "user",
    id: clock.randomUUID(),
    timestamp: new Date(clock.now()),
    content: withContexts(content, contexts),
  };
  await journal.commit(
    {
      type: "turn_start",
      input: contentText(content),
      ...(shown === undefined ? {} : { displayInput: shown }),
      ...(request === undefined ? {} : { request }),
    },
    { type: "user_message", message },
    ...(queue ? [queueUpdate(queue)] : []),
  );
  journal.saveHeader();
  reportContext(core);
}

async function contextsFor(
  { hooks, starting }: SessionCore,
  prompt: string,
  signal: AbortSignal,
): Promise<string[]> {
  const started = await starting.take(signal);
  const said = await hooks.run("UserPromptSubmit", { prompt }, signal);
  if (said?.blocked) throw blockedBy("The prompt", said.reason);
  return [started, said?.additionalContext].filter((text) => text !== undefined);
}

/** Behind what a person said, so that a prompt cache keeps what comes before. */
function withContexts(content: Content, contexts: readonly string[]): Content {
  if (contexts.length === 0) return content;
  const texts = contexts.map((text) => `<hook-context>\n${text}\n</hook-context>`);
  if (typeof content === "string") return [content, ...texts].join("\n\n");
  return [...content, ...texts.map((text) => ({ type: "text" as const, text }))];
}
