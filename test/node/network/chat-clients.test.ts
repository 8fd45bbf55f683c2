import { afterAll, beforeAll, describe } from "vitest";
import { agUiInterruptScenarios, agUiScenarios } from "../../support/protocols/ag-ui-scenarios.ts";
import { chatScenarios, resumingScenarios } from "../../support/protocols/chat-scenarios.ts";
import { serveSessions } from "../../support/protocols/session-server.ts";

let server: Awaited<ReturnType<typeof serveSessions>>;
beforeAll(async () => {
  server = await serveSessions();
});
afterAll(() => server[Symbol.asyncDispose]());

describe("a chat of the AI SDK, over HTTP in Node", () => {
  chatScenarios(() => server);
  resumingScenarios(() => server);
});

describe("an AG-UI client, over HTTP in Node", () => {
  agUiScenarios(() => server);
  agUiInterruptScenarios(() => server);
});
