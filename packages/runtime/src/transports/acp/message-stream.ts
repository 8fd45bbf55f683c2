import type { Stream } from "@agentclientprotocol/sdk";
import type { MessageChannelEnd } from "./acp-transport.ts";

type Message = Stream["readable"] extends ReadableStream<infer Item> ? Item : never;

/** A protocol stream over a channel of messages: a WebSocket or a port, one JSON text per message. */
export function messageStream(channel: MessageChannelEnd): Stream {
  const post = (text: string): void => {
    if ("send" in channel) channel.send(text);
    else channel.postMessage(text);
  };
  let isOpen = true;
  return {
    readable: new ReadableStream<Message>({
      start(controller) {
        const end = (finish: () => void): void => {
          if (isOpen) finish();
          isOpen = false;
        };
        channel.addEventListener("message", ({ data }) => {
          if (!isOpen) return;
          try {
            controller.enqueue(JSON.parse(String(data)) as Message);
          } catch (error) {
            end(() => controller.error(error));
          }
        });
        channel.addEventListener("close", () => end(() => controller.close()));
        channel.start?.();
      },
      cancel() {
        isOpen = false;
      },
    }),
    writable: new WritableStream<Message>({
      write(message) {
        post(JSON.stringify(message));
      },
      close() {
        channel.close();
      },
    }),
  };
}
