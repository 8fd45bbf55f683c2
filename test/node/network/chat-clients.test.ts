import { afterAll, beforeAll, describe } from "vitest";
import {
  agUiFileScenarios,
  agUiInterruptScenarios,
  agUiScenarios,
} from "../../support/protocols/ag-ui-scenarios.ts";
import {
  chatFileScenarios,
  chatScenarios,
  resumingScenarios,
} from "../../support/protocols/chat-scenarios.ts";
import { serveSessions } from "../../support/protocols/session-server.ts";

let server: Awaited<ReturnType<typeof serveSessions>>;
beforeAll(async () => {
  server = await serveSessions();
});
afterAll(() => server[Symbol.asyncDispose]());

describe("a chat of the AI SDK, over HTTP in Node", () => {
  chatScenarios(() => server);
  chatFileScenarios(() => server);
  resumingScenarios(() => server);
});

describe("an AG-UI client, over HTTP in Node", () => {
  agUiScenarios(() => server);
  agUiFileScenarios(() => server);
  agUiInterruptScenarios(() => server);
});
