import { SessionError } from "@robota/runtime";
import { HttpProblem, RemoteError } from "@robota/runtime/transports";
import { expect, it } from "vitest";
import { explainServer, type ServerFacts } from "./explain-server.ts";

const facts: ServerFacts = {
  server: "https://robota.example/",
  origin: "https://play.example",
  online: true,
  isListening: undefined,
};
const silent = new RemoteError("UNREACHABLE", "no answer");

it("says what keeps a page from a server, and what mends it", () => {
  const titles = (
    [
      [silent, { isListening: true }],
      [silent, { isListening: false }],
      [silent, { online: false }],
      [new HttpProblem(401, "UNAUTHORIZED", "No"), {}],
      [new HttpProblem(403, "INSUFFICIENT_SCOPE", "No"), {}],
      [new SessionError("NOT_FOUND", "No"), {}],
      [new RemoteError("BAD_ANSWER", "No"), {}],
      [new HttpProblem(429, "TOO_MANY_REQUESTS", "Too many"), {}],
    ] as const
  ).map(([error, more]) => explainServer(error, { ...facts, ...more }).title);
  expect(titles).toEqual([
    "robota.example doesn’t allow this page",
    "robota.example can’t be reached",
    "This device is offline",
    "robota.example refused the token",
    "This token may not do that",
    "robota.example has no such session",
    "No Robota server answers at robota.example",
    "robota.example refused",
  ]);
});

it("names the origin that a server has to allow", () => {
  expect(explainServer(silent, { ...facts, isListening: true }).text).toContain(
    "https://play.example",
  );
});
