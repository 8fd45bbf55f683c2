import type { Message } from "../../messages/message.ts";
import type { Answer } from "../answer.ts";
import type { Decoder } from "../call.ts";
import type { ErrorContext } from "../errors.ts";
import type { ChatOptions } from "../provider.ts";
import { MessagesDecoder } from "./decode.ts";
import { type RequestDefaults, RequestWriter } from "./request.ts";

/** Writer of requests and reader of answers of the Messages API; loaded by the first call. */
export interface Codec {
  write(messages: readonly Message[], options: ChatOptions): string;
  decoder(answer: Answer, context: ErrorContext): Decoder;
}

export function messagesCodec(defaults: RequestDefaults): Codec {
  const writer = new RequestWriter(defaults);
  return {
    write: (messages, options) => writer.write(messages, options),
    decoder: (answer, context) => new MessagesDecoder(answer, context),
  };
}
