import type { Message } from "../../messages/message.ts";
import type { Answer } from "../answer.ts";
import type { Decoder } from "../call.ts";
import type { ErrorContext } from "../errors.ts";
import type { ChatOptions } from "../provider.ts";
import type { RequestDefaults } from "./content.ts";
import type { ChatDialect } from "./dialect.ts";

/** Writer of requests and reader of answers of one API. */
export interface Codec {
  write(messages: readonly Message[], options: ChatOptions): string;
  decoder(answer: Answer, context: ErrorContext): Decoder;
}

/** One of the two APIs: its path, and its codec, which is loaded by the first call. */
export interface Api {
  surface: string;
  path: string;
  hasWebSearch: boolean;
  load(): Promise<Codec>;
}

export function responsesApi(defaults: RequestDefaults): Api {
  return {
    surface: "responses",
    path: "/responses",
    hasWebSearch: true,
    async load() {
      const { responsesCodec } = await import("./responses-codec.ts");
      return responsesCodec(defaults);
    },
  };
}

export function chatApi(defaults: RequestDefaults, dialect: ChatDialect): Api {
  return {
    surface: "chat",
    path: "/chat/completions",
    hasWebSearch: dialect.webSearch !== undefined,
    async load() {
      const { chatCodec } = await import("./chat-codec.ts");
      return chatCodec({ ...defaults, dialect });
    },
  };
}
