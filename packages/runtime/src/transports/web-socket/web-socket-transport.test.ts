import { expect, it } from "vitest";
import { PING } from "./frames.ts";
import type { ServerSocket } from "./socket.ts";
import { webSocketTransport } from "./web-socket-transport.ts";

/** A socket of a host that sleeps between frames. */
function socket(): ServerSocket & { closed: number[] } {
  let attachment: unknown;
  const closed: number[] = [];
  return {
    closed,
    send: () => undefined,
    close: (code = 1005) => void closed.push(code),
    serializeAttachment: (value) => (attachment = value),
    deserializeAttachment: () => attachment,
  };
}

it("does not bring a socket back that newer ones replaced, by a frame that was on its way", async () => {
  const transport = webSocketTransport({
    fetch: () => Response.json({}),
    limits: { socketsPerSession: 1 },
  });
  const facts = { sessionId: "s", principal: { owner: "ann", scopes: ["read"] as const } };
  const [old, recent] = [socket(), socket()];
  await transport.accept(old, facts);
  await transport.accept(recent, facts);
  expect(old.closed).toEqual([4409]);
  await transport.receive(old, PING);
  expect(recent.closed).toEqual([]);
});
