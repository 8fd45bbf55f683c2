import { InteractiveSession, type PermissionRequest } from "@robota/runtime";
import { type ScriptedReply, ScriptedProvider } from "@robota/runtime/testing";
import { type HeadlessOptions, headlessTransport } from "@robota/runtime/transports";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it } from "vitest";
import { DOT_PNG } from "../../support/protocols/files.ts";
import { echo, echoCall } from "../../support/support.ts";

interface Outcome {
  exitCode: number;
  output: string;
  lines: Record<string, unknown>[];
}

function open(script: readonly ScriptedReply[]): InteractiveSession {
  const provider = new ScriptedProvider(script);
  return new InteractiveSession({
    platform: memoryPlatform(),
    provider,
    cwd: "/workspace",
    tools: [echo],
  });
}

async function* linesOf(...lines: string[]): AsyncGenerator<string> {
  yield* lines;
}

async function run(
  session: InteractiveSession,
  options: Omit<HeadlessOptions, "write">,
): Promise<Outcome> {
  let output = "";
  const transport = headlessTransport({ ...options, write: (text) => (output += text) });
  session.attachTransport(transport);
  await transport.start();
  const exitCode = await transport.exitCode;
  const parsed = options.format && options.format !== "text" ? output.trim().split("\n") : [];
  return { exitCode, output, lines: parsed.map((line) => JSON.parse(line) as Outcome["lines"][0]) };
}

it("S-288: is a transport with a name, which needs a session before it starts", async () => {
  const transport = headlessTransport({ input: "go", write: () => undefined });
  expect(transport.name).toBe("headless");
  await expect(transport.start()).rejects.toMatchObject({ code: "CONFIGURATION_ERROR" });
});

it("prints the answer, the result with all about it, or every event and the result", async () => {
  const script: ScriptedReply[] = [{ deltas: ["Do", "ne"] }];
  const text = await run(open(script), { input: "go" });
  expect([text.exitCode, text.output]).toEqual([0, "Done\n"]);
  const json = await run(open(script), { input: "go", format: "json" });
  expect(json.lines).toMatchObject([
    { type: "result", state: "complete", response: "Done", permissionDenials: [] },
  ]);
  const stream = await run(open(script), { input: "go", format: "stream-json" });
  const types = stream.lines.map(({ type }) => type);
  expect(types).toEqual(
    expect.arrayContaining(["session_init", "turn_start", "text_delta", "turn_end"]),
  );
  expect(types.slice(-2)).toEqual(["session_shutdown", "result"]);
});

it("runs a command in place of a prompt", async () => {
  const help = await run(open([]), { input: "/help" });
  expect([help.exitCode, help.output]).toEqual([0, expect.stringContaining("/compact")]);
  const wrong = await run(open([]), { input: "/mode yolo", format: "json" });
  expect([wrong.exitCode, wrong.lines]).toMatchObject([
    1,
    [{ type: "command-result", success: false }],
  ]);
});

it("ends with 1 for a failure, 130 for an interruption, and 3 for a call that nobody can allow", async () => {
  const failures: string[] = [];
  const failed = await run(open([{ error: "The model is gone" }]), {
    input: "go",
    onFailure: ({ message }) => failures.push(message),
  });
  expect([failed.exitCode, failures]).toEqual([1, [expect.stringContaining("gone")]]);

  const session = open([{ text: "never", delayMs: Infinity }]);
  session.on("event", ({ type }) => type === "turn_start" && session.abort());
  expect((await run(session, { input: "go" })).exitCode).toBe(130);

  const refused: PermissionRequest[] = [];
  const denied = await run(open([{ toolCalls: [echoCall("x")] }]), {
    input: "go",
    format: "json",
    onRefusal: (request) => refused.push(request),
  });
  expect(denied.exitCode).toBe(3);
  expect(refused).toMatchObject([{ tool: "echo" }]);
  expect(denied.lines).toMatchObject([
    { state: "interrupted", permissionDenials: [{ tool: "echo", toolCallId: "x" }] },
  ]);
});

it("takes images and files with a prompt, and goes on after one that it refuses", async () => {
  const provider = new ScriptedProvider([{ text: "A dot." }, { text: "Fine." }]);
  const session = new InteractiveSession({ platform: memoryPlatform(), provider });
  async function* lines(): AsyncGenerator<string> {
    const files = [
      { type: "image", mediaType: "image/png", data: DOT_PNG },
      { type: "file", mediaType: "text/plain", name: "notes.txt", data: btoa("hello") },
    ];
    yield JSON.stringify({ type: "prompt", text: "look", attachments: files });
    yield JSON.stringify({ type: "prompt", attachments: [{ data: btoa("PK\u0003\u0004\u0000") }] });
    yield '{"type":"prompt","text":"and then"}';
  }
  const printed = await run(session, { input: lines(), format: "stream-json" });
  expect(provider.requests[0]?.messages.at(-1)?.content).toMatchObject([
    { type: "text", text: "look" },
    { type: "image", mediaType: "image/png", data: DOT_PNG },
    { type: "file", name: "notes.txt" },
  ]);
  expect(printed.lines.filter(({ type }) => type === "error")).toMatchObject([
    { code: "ATTACHMENT_REFUSED" },
  ]);
  expect(printed.lines.filter(({ type }) => type === "result")).toMatchObject([
    { response: "A dot." },
    { response: "Fine." },
  ]);
  expect(printed.exitCode).toBe(1);
});

it("lets a program write prompts, and answers to requests for permission", async () => {
  const session = open([
    { toolCalls: [echoCall("x")] },
    { text: "one" },
    { toolCalls: [echoCall("y")] },
    { text: "two" },
  ]);
  const asked: PermissionRequest[] = [];
  session.on("permission_request", (request) => asked.push(request));
  const answer = (at: number, decision: string): string =>
    JSON.stringify({ type: "permission", requestId: asked[at]?.id, decision, reason: "told so" });
  async function* lines(): AsyncGenerator<string> {
    yield '{"type":"prompt","text":"first"}';
    yield '{"type":"prompt","text":"second","displayText":"Second"}';
    await expect.poll(() => asked.length).toBe(1);
    yield answer(0, "allow");
    await expect.poll(() => asked.length).toBe(2);
    yield answer(1, "deny");
    // The second answer to one request is told, and ends nothing.
    yield answer(0, "deny");
  }
  const { exitCode, lines: printed } = await run(session, {
    input: lines(),
    format: "stream-json",
  });
  const results = printed.filter(({ type }) => type === "result");
  expect(results).toMatchObject([
    { response: "one", permissionDenials: [] },
    { response: "two", permissionDenials: [{ toolCallId: "y" }] },
  ]);
  expect(printed).toContainEqual(
    expect.objectContaining({ type: "error", code: "ALREADY_ANSWERED" }),
  );
  expect(exitCode).toBe(0);
});

it.each([
  ["its end", (session: InteractiveSession, text: string) => session.submit(text)],
  ["its start", async (session: InteractiveSession, text: string) => void session.submit(text)],
])(
  "takes answers while a turn runs that steering began, which resolves at %s",
  async (_, begin) => {
    const session = open([{ toolCalls: [echoCall("x")] }, { text: "done" }]);
    session.steer = async (text) => void (await begin(session, text));
    const asked: PermissionRequest[] = [];
    session.on("permission_request", (request) => asked.push(request));
    async function* lines(): AsyncGenerator<string> {
      yield '{"type":"steer","text":"go"}';
      await expect.poll(() => asked.length).toBe(1);
      yield JSON.stringify({ type: "permission", requestId: asked[0]?.id, decision: "allow" });
    }
    const { exitCode, lines: printed } = await run(session, {
      input: lines(),
      format: "stream-json",
    });
    expect(exitCode).toBe(0);
    expect(printed.slice(-2)).toMatchObject([
      { type: "turn_end", state: "complete", response: "done" },
      { type: "session_shutdown" },
    ]);
  },
);

it.each([
  ["a text", "go"],
  ["a prompt", linesOf('{"type":"prompt","text":"go"}')],
  ["steering", linesOf('{"type":"steer","text":"go"}')],
])("closes the session after a failure of %s", async (_, input) => {
  const session = open([]);
  const failure = new Error("The disk is gone");
  session.submit = () => Promise.reject(failure);
  session.steer = () => Promise.reject(failure);
  await expect(run(session, { input })).rejects.toBe(failure);
  await expect(session.setName("later")).rejects.toMatchObject({ code: "CLOSED" });
});

it("stops where the input ends and an answer is still wanted", async () => {
  async function* lines(): AsyncGenerator<string> {
    yield '{"type":"prompt","text":"first"}';
  }
  const { exitCode, lines: printed } = await run(open([{ toolCalls: [echoCall("x")] }]), {
    input: lines(),
    format: "json",
  });
  expect(exitCode).toBe(3);
  expect(printed.at(-1)).toMatchObject({ type: "result", state: "interrupted" });
});

it.each(["no JSON", '{"type":"other"}', '{"type":"prompt","text":" "}'])(
  "refuses a line that says nothing it knows: %s",
  async (line) => {
    async function* lines(): AsyncGenerator<string> {
      yield line;
    }
    const { exitCode, lines: printed } = await run(open([]), { input: lines(), format: "json" });
    expect(exitCode).toBe(2);
    expect(printed).toMatchObject([{ type: "error", code: "VALIDATION_ERROR" }]);
  },
);
