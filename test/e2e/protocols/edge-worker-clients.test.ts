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
import { startWorkerd, type Workerd } from "../workerd.ts";

const TOKEN = "ann-secret";
let workerd: Workerd;

beforeAll(async () => {
  workerd = await startWorkerd({
    entry: "apps/edge-worker/src/worker.ts",
    objects: { SESSIONS: "SessionObject", DIRECTORIES: "SessionDirectory" },
    variables: { API_TOKENS: JSON.stringify({ ann: TOKEN }) },
  });
});
afterAll(() => workerd[Symbol.asyncDispose]());

const server = () => ({ url: workerd.url, token: TOKEN });

describe("a chat of the AI SDK, over HTTP in workerd", () => {
  chatScenarios(server);
  chatFileScenarios(server);
  resumingScenarios(server);
});

describe("an AG-UI client, over HTTP in workerd", () => {
  agUiScenarios(server);
  agUiFileScenarios(server);
  agUiInterruptScenarios(server);
});
