import { LLMock } from "@copilotkit/aimock";

/** Dialects in use here; some faults happen once for each. */
const DIALECTS = ["messages", "chat", "responses", "ark", "openRouter"] as const;

/**
 * A third-party server that is checked against the real services: it implements the dialects independently, so that our
 * reader is not tested against our own writer. The content of a request decides the response.
 */
export async function startAimock(): Promise<{ origin: string; close(): Promise<void> }> {
  const mock = new LLMock({ port: 0, host: "127.0.0.1" });
  const calls = [
    { name: "Read", arguments: '{"filePath":"a.md"}', id: "call_a" },
    { name: "Read", arguments: '{"filePath":"b.md"}', id: "call_b" },
  ];
  mock.on({ userMessage: "read both", hasToolResult: true }, { content: "Both are read." });
  mock.on(
    { userMessage: "read both" },
    { content: "Looking.", toolCalls: calls, reasoning: "Two files." },
    { chunkSize: 4 },
  );
  mock.on({ userMessage: "think" }, { content: "Done thinking.", reasoning: "Step by step." });
  mock.on(
    { userMessage: "say it slowly" },
    { content: "One two three 👋🏽." },
    { chunkSize: 3, latency: 5 },
  );
  mock.on({ userMessage: "answer in JSON" }, { content: '{"n":1}' });
  mock.on(
    { userMessage: "break off" },
    { content: "This answer is cut off before its end." },
    { chunkSize: 2, truncateAfterChunks: 12, latency: 4 },
  );
  mock.on({ userMessage: "write nonsense" }, { content: "x" }, { chaos: { malformedRate: 1 } });
  mock.on({ userMessage: "hang up" }, { content: "x" }, { chaos: { disconnectRate: 1 } });
  mock.on(
    { userMessage: "use a wrong key" },
    { error: { message: "invalid x-api-key", type: "authentication_error" }, status: 401 },
  );
  mock.on(
    { userMessage: "say too much" },
    {
      error: {
        message: "prompt is too long: 250000 tokens > 200000 maximum",
        type: "invalid_request_error",
      },
      status: 400,
    },
  );
  for (const dialect of DIALECTS) {
    const userMessage = `be busy once: ${dialect}`;
    const error = { message: "Slow down", type: "rate_limit_error", code: "rate_limit_exceeded" };
    mock.on({ userMessage, sequenceIndex: 0 }, { error, status: 429, retryAfter: 1 });
    mock.on({ userMessage, sequenceIndex: 1 }, { content: "Free again." });
  }
  await mock.start();
  return { origin: mock.url, close: () => mock.stop() };
}
