import { describe, expect, it, vi } from "vitest";
import { Robota } from "../agent/robota.ts";
import { AuthenticationError } from "../errors.ts";
import { ScriptedProvider } from "../testing/scripted-provider.ts";
import { createFunctionTool } from "../tools/function-tool.ts";
import { ConsoleLogger, type Logger, SilentLogger } from "./logger.ts";
import { LoggingPlugin, type LoggingPluginOptions, type LogRecord } from "./logging-plugin.ts";
import { LimitsPlugin } from "./limits/limits-plugin.ts";
import { MemoryRecordStore } from "./records/memory-record-store.ts";
import { recordsBetween } from "./records/record-store.ts";

const login = createFunctionTool("login", "Signs in", { type: "object" }, async () => {
  throw new Error("no");
});
const script = [
  {
    toolCalls: [{ id: "1", name: "login", args: { password: "hunter2", note: "sk-abcdefgh12" } }],
  },
  { text: "a\nb \u009b31m", usage: { inputTokens: 7 } },
  {
    error: new AuthenticationError("Bearer abcdefgh12 is wrong", { provider: "scripted" }),
  },
];

/** The log lines of a successful, a failed and a refused run. */
async function linesOf(options: LoggingPluginOptions): Promise<string[]> {
  const lines: string[] = [];
  const plugin = new LoggingPlugin({ write: (line) => lines.push(line), now: () => 0, ...options });
  const agent = new Robota({
    provider: new ScriptedProvider(script),
    tools: [login],
    plugins: [plugin, new LimitsPlugin({ requests: 3 })],
  });
  for (const input of ["go", "fail", "refused"]) await agent.run(input);
  await agent.dispose();
  return lines;
}
const messages = (lines: readonly string[]): string[] =>
  lines.map((line) => (JSON.parse(line) as LogRecord).message);

describe("a log of runs", () => {
  it.each([
    [
      "debug",
      [
        "run started",
        "tool started",
        "tool failed",
        "run completed",
        "run started",
        "run failed",
        "run refused",
      ],
    ],
    [
      "info",
      ["run started", "tool failed", "run completed", "run started", "run failed", "run refused"],
    ],
    ["warn", ["tool failed", "run failed", "run refused"]],
    ["error", ["run failed"]],
    ["silent", []],
  ] as const)("at level %s", async (level, expected) => {
    expect(messages(await linesOf({ level, format: "json" }))).toEqual(expected);
  });

  it("is one line of text per entry, for any content", async () => {
    const lines = await linesOf({ level: "debug", content: true });
    const answer = lines.find((line) => line.includes("DEBUG answer"));
    expect(answer).toContain('text="a\\nb \\u009b31m"');
    expect(lines[0]).toMatch(
      /^1970-01-01T00:00:00\.000Z INFO {2}run started runId=[\w-]+ provider=scripted model=scripted attempt=1$/,
    );
    expect(lines.every((line) => !line.includes("\n"))).toBe(true);
  });

  it("holds no secrets and, by default, no conversation content", async () => {
    const all = (await linesOf({ level: "debug", format: "json", content: true })).join("\n");
    expect(all).toContain('"password":"[REDACTED]","note":"[REDACTED]"');
    expect(all).toContain("[REDACTED] is wrong");
    expect(all).not.toMatch(/hunter2|abcdefgh12/);
    const quiet = (await linesOf({ level: "debug", format: "json" })).join("\n");
    expect(quiet).not.toMatch(/note|a\\nb|"go"/);
  });

  it("truncates long texts after redaction", async () => {
    const secret = "s3cr3t-s3cr3t";
    const lines: string[] = [];
    const plugin = new LoggingPlugin({
      level: "debug",
      format: "json",
      content: true,
      secrets: [secret],
      write: (line) => lines.push(line),
    });
    const text = `${"x".repeat(1995)}${secret}${"y".repeat(100)}`;
    await new Robota({ provider: new ScriptedProvider([{ text }]), plugins: [plugin] }).run("go");
    const answer = lines.find((line) => line.includes('"answer"')) ?? "";
    expect(answer).toContain("xx[REDA… (");
    expect(answer).not.toContain("s3c");
  });

  it("is kept in a storage", async () => {
    const storage = new MemoryRecordStore<LogRecord>();
    const plugin = new LoggingPlugin({ storage });
    const agent = new Robota({
      provider: new ScriptedProvider([{ text: "x" }]),
      plugins: [plugin],
    });
    await agent.run("go");
    const records = await recordsBetween(storage);
    expect(records.map(({ level, message }) => [level, message])).toEqual([
      ["info", "run started"],
      ["info", "run completed"],
    ]);
  });
});

it("writes a logger's messages of its level and above to the console, without secrets", () => {
  const seen: unknown[][] = [];
  const levels = ["debug", "info", "warn", "error"] as const;
  const spies = levels.map((level) =>
    vi.spyOn(console, level).mockImplementation((...args) => void seen.push([level, ...args])),
  );
  try {
    const logger = new ConsoleLogger({ level: "warn", secrets: ["swordfish"] });
    logger.debug("no");
    logger.info("no");
    logger.warn("it is swordfish", { apiKey: "x", n: 1 });
    logger.error("bad");
    new SilentLogger().error();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  expect(seen).toEqual([
    ["warn", "it is [REDACTED]", { apiKey: "[REDACTED]", n: 1 }],
    ["error", "bad"],
  ]);
});

it("logs nothing at any level with a silent logger", () => {
  const levels = ["debug", "info", "warn", "error"] as const;
  const spies = [...levels, "log" as const].map((level) =>
    vi.spyOn(console, level).mockImplementation(() => undefined),
  );
  try {
    const silent: Logger = new SilentLogger();
    for (const level of levels) expect(silent[level]("secret", { n: 1 })).toBeUndefined();
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
});
