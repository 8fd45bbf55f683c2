import * as z from "../../../zod.ts";

// `RunAgentInput`, as far as a session needs it.

const part = z.looseObject({
  type: z.string(),
  text: z.optional(z.string()),
  source: z.optional(
    z.looseObject({
      type: z.string(),
      value: z.string(),
      mimeType: z.optional(z.string()),
    }),
  ),
  metadata: z.optional(z.unknown()),
});

const message = z.looseObject({
  role: z.string(),
  content: z.optional(z.union([z.string(), z.array(part), z.record(z.string(), z.unknown())])),
});

const resumed = z.looseObject({
  interruptId: z.string(),
  status: z.enum(["resolved", "cancelled"]),
  payload: z.optional(z.unknown()),
});

export const RUN_INPUT = z.looseObject({
  threadId: z.string(),
  runId: z.string(),
  messages: z.array(message),
  resume: z.optional(z.array(resumed)),
});

/** The answer to a question: the payload of an entry of `resume`. */
export const ANSWER = z.looseObject({
  approved: z.boolean(),
  scope: z.optional(z.enum(["once", "turn", "session", "workspace"])),
  reason: z.optional(z.string()),
  editedArgs: z.optional(z.record(z.string(), z.unknown())),
});

export type RunInput = z.infer<typeof RUN_INPUT>;
export type RunPart = z.infer<typeof part>;
