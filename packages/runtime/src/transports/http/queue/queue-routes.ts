import type { Hono } from "hono";
import type { PromptQueue } from "../../../interactive/prompt-queue.ts";
import type { QueuedPrompt } from "../../../interactive/queued-prompts.ts";
import type { BodyLimits } from "../body/body-limits.ts";
import { readBody } from "../body/read-body.ts";
import { operations } from "../operations.ts";
import type { SessionEnvironment } from "../session-environment.ts";

/** Adds routes for the prompts that wait for the running turn. */
export function addQueueRoutes(
  app: Hono<SessionEnvironment>,
  { limits }: { limits: BodyLimits },
): void {
  const { getQueue, pauseQueue, changeQueued, removeQueued } = operations;

  app.get(getQueue.path, ({ var: { session }, json }) => json(stateOf(session.queue)));
  app.patch(pauseQueue.path, async (context) => {
    const { paused } = await readBody(context.req.raw, pauseQueue.body, limits);
    const { queue } = context.var.session;
    await (paused ? queue.pause() : queue.resume());
    return context.json(stateOf(queue));
  });
  app.patch(changeQueued.path, async (context) => {
    const { text, place } = await readBody(context.req.raw, changeQueued.body, limits);
    const { queue } = context.var.session;
    const id = context.req.param("promptId") ?? "";
    if (text !== undefined) await queue.edit(id, text);
    if (place !== undefined) await queue.move(id, place);
    return context.json(stateOf(queue));
  });
  app.delete(removeQueued.path, async (context) => {
    await context.var.session.queue.remove(context.req.param("promptId") ?? "");
    return context.body(null, 204);
  });
}

function stateOf(queue: PromptQueue): { prompts: readonly QueuedPrompt[]; paused: boolean } {
  return { prompts: queue.list(), paused: queue.isPaused() };
}
