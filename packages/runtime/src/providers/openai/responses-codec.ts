import type { Codec } from "./api.ts";
import type { RequestDefaults } from "./content.ts";
import { ResponsesDecoder } from "./responses-decode.ts";
import { ResponsesRequestWriter } from "./responses-request.ts";

export function responsesCodec(defaults: RequestDefaults): Codec {
  const writer = new ResponsesRequestWriter(defaults);
  return {
    write: (messages, options) => writer.write(messages, options),
    decoder: (answer, context) => new ResponsesDecoder(answer, context),
  };
}
