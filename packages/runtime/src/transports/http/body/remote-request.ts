import * as z from "../../../zod.ts";

const toolCall = z.looseObject({
  id: z.string(),
  name: z.string(),
  args: z.looseObject({}),
  rawArgs: z.exactOptional(z.string()),
});
const message = z.looseObject({
  role: z.enum(["system", "user", "assistant", "tool"]),
  id: z.string(),
  timestamp: z.string(),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
  toolCallId: z.exactOptional(z.string()),
  name: z.exactOptional(z.string()),
  toolCalls: z.exactOptional(z.array(toolCall)),
});
const tool = z.strictObject({
  name: z.string(),
  description: z.string(),
  parameters: z.looseObject({}),
});
const count = z.int().check(z.minimum(1));

/** Schema of a `RemoteRequest`: as much as a server must know before it passes the messages to a provider. */
export const REMOTE_BODY = z.strictObject({
  messages: z.array(message).check(z.minLength(1)),
  options: z.exactOptional(
    z.strictObject({
      model: z.exactOptional(z.string()),
      tools: z.exactOptional(z.array(tool)),
      toolChoice: z.exactOptional(
        z.union([z.enum(["auto", "required", "none"]), z.looseObject({ name: z.string() })]),
      ),
      maxTokens: z.exactOptional(count),
      temperature: z.exactOptional(z.number().check(z.minimum(0))),
      thinking: z.exactOptional(z.union([z.boolean(), z.looseObject({ budgetTokens: count })])),
      effort: z.exactOptional(z.enum(["low", "medium", "high", "xhigh", "max"])),
      responseFormat: z.exactOptional(
        z.looseObject({ name: z.string(), schema: z.looseObject({}) }),
      ),
    }),
  ),
});
