import type { Codec } from "./api.ts";
import { ChatDecoder } from "./chat-decode.ts";
import { type ChatDefaults, ChatRequestWriter } from "./chat-request.ts";

export function chatCodec(defaults: ChatDefaults): Codec {
  const writer = new ChatRequestWriter(defaults);
  return {
    write: (messages, options) => writer.write(messages, options),
    decoder: (answer, context) => new ChatDecoder(answer, context),
  };
}
