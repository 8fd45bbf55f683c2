import * as z from "../../../zod.ts";

// The body that `DefaultChatTransport` posts, as far as a session needs it. Messages hold all that the client has shown,
// parts of its own among them.

const part = z.looseObject({
  type: z.string(),
  text: z.optional(z.string()),
  /** Of a file: a `data:` address, its type and name. */
  url: z.optional(z.string()),
  mediaType: z.optional(z.string()),
  filename: z.optional(z.string()),
  state: z.optional(z.string()),
  approval: z.optional(
    z.looseObject({
      id: z.string(),
      approved: z.optional(z.boolean()),
      reason: z.optional(z.string()),
      isAutomatic: z.optional(z.boolean()),
    }),
  ),
});

const message = z.looseObject({
  id: z.string(),
  role: z.enum(["system", "user", "assistant"]),
  parts: z.array(part),
});

export const CHAT_BODY = z.looseObject({
  trigger: z.optional(z.enum(["submit-message", "regenerate-message"])),
  messageId: z.optional(z.string()),
  messages: z.optional(z.array(message)),
  /** Only the last one, as clients send it that prepare the body themselves. */
  message: z.optional(message),
});

export type ChatBody = z.infer<typeof CHAT_BODY>;
export type ChatMessage = z.infer<typeof message>;
export type ChatPart = z.infer<typeof part>;
