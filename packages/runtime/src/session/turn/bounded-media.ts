import type { Message, Part } from "../../messages/message.ts";

/** Characters of Base64; services refuse requests of 20 to 32 MB. */
const MAX_MEDIA = 10_000_000;

/**
 * The messages with the newest images and files that together keep within a bound, and words for the others: so a
 * conversation can be summarised that no request can hold any more.
 */
export function withBoundedMedia(messages: readonly Message[]): Message[] {
  let room = MAX_MEDIA;
  const bounded = (part: Part): Part => {
    if (part.type !== "image" && part.type !== "file") return part;
    room -= part.data?.length ?? 0;
    return room >= 0 ? part : { type: "text", text: `[${part.name ?? part.mediaType}]` };
  };
  const boundedMessage = (message: Message): Message => {
    const { content } = message;
    if (typeof content === "string") return message;
    const parts = content.toReversed().map(bounded).toReversed();
    // The same object where nothing was left out: it is written already.
    return parts.every((part, index) => part === content[index])
      ? message
      : { ...message, content: parts };
  };
  return messages.toReversed().map(boundedMessage).toReversed();
}
