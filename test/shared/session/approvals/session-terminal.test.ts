import {
  InteractiveSession,
  promptForApproval,
  Session,
  type SessionOptions,
} from "@robota/runtime";
import { SILENT_TERMINAL, type TerminalOutput } from "@robota/runtime/ports";
import type { ITerminalOutput } from "@robota/runtime/compat";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { echo, echoCall } from "../../../support/support.ts";

/** A terminal that writes everything down, at which somebody always takes the same choice. */
function terminalChoosing(choice: number) {
  const shown: string[] = [];
  const terminal: ITerminalOutput = {
    write: (text) => void shown.push(text),
    writeLine: (text) => void shown.push(text),
    writeError: (text) => void shown.push(`! ${text}`),
    prompt: async () => "",
    select: async (options, initialIndex) => {
      shown.push(`${options.join(" / ")} (${initialIndex})`);
      return choice;
    },
    spinner: (message) => {
      shown.push(`~ ${message}`);
      return {
        update: (next) => void shown.push(`~ ${next}`),
        stop: () => void shown.push("~ stopped"),
      };
    },
  };
  return { terminal, shown };
}

async function resultsWith(options: Partial<SessionOptions>, args = { text: "x" }) {
  const session = new Session({
    platform: memoryPlatform(),
    provider: new ScriptedProvider([
      { toolCalls: [{ id: "1", name: "echo", args }] },
      { toolCalls: [{ id: "2", name: "echo", args }] },
      { text: "done" },
    ]),
    tools: [echo],
    ...options,
  });
  await session.run("go");
  await session.shutdown();
  return session
    .getHistory()
    .flatMap((message) => (message.role === "tool" ? [message.errorCode ?? message.content] : []));
}

describe("promptForApproval", () => {
  it("gets the session's terminal and the call", async () => {
    const { terminal } = terminalChoosing(0);
    const asked: unknown[] = [];
    const results = await resultsWith({
      terminal,
      promptForApproval: (given, tool, args, request) => {
        asked.push([given === terminal, tool, args, request.toolCallId]);
        return request.toolCallId === "1";
      },
    });
    expect(asked).toEqual([
      [true, "echo", { text: "x" }, "1"],
      [true, "echo", { text: "x" }, "2"],
    ]);
    expect(results).toEqual(["said x", "permission_denied"]);
  });

  it("is called only without a handler, and without both a call is denied, terminal or not", async () => {
    const { terminal } = terminalChoosing(0);
    const never = () => expect.fail("the handler answers");
    const handled = { terminal, promptForApproval: never, permissionHandler: () => true };
    expect(await resultsWith(handled)).toEqual(["said x", "said x"]);
    expect(await resultsWith({ terminal })).toEqual(["permission_denied", "permission_denied"]);
  });

  it("is told by a silent terminal that there is no person", async () => {
    const given: TerminalOutput[] = [];
    const results = await resultsWith({
      promptForApproval: (terminal, tool, args, request) => {
        given.push(terminal);
        return promptForApproval(terminal, tool, args, request);
      },
    });
    expect(given).toEqual([SILENT_TERMINAL, SILENT_TERMINAL]);
    expect(results).toEqual(["permission_denied", "permission_denied"]);
  });

  it("answers for a person in a session that would wait otherwise", async () => {
    const { terminal, shown } = terminalChoosing(0);
    const session = new InteractiveSession({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: "done" }]),
      tools: [echo],
      terminal,
      promptForApproval,
    });
    expect((await session.submit("go")).state).toBe("complete");
    expect(shown).toContain("The agent wants to use echo:");
    await session.shutdown();
  });
});

describe("the approval prompt", () => {
  it("shows the whole call including invisible characters, and offers to deny first", async () => {
    const { terminal, shown } = terminalChoosing(9);
    const text = `${"long ".repeat(500)}\u202E\u001B[2Kend`;
    expect(await resultsWith({ terminal, promptForApproval }, { text })).toEqual([
      "permission_denied",
      "permission_denied",
    ]);
    expect(shown).toContain(`  text: ${"long ".repeat(500)}\\u{202e}\\u{1b}[2Kend`);
    expect(shown.find((line) => line.includes(" / "))).toMatch(/^Allow \/ .*Deny \([12]\)$/);
  });

  it("allows once, for the session, or not at all", async () => {
    const answer = (choice: number) =>
      promptForApproval(
        terminalChoosing(choice).terminal,
        "Bash",
        { command: "npm test" },
        {
          reason: "No rule allows it",
          suggestedPattern: "Bash(npm test)",
        },
      );
    expect(await answer(0)).toEqual({ allow: true });
    expect(await answer(1)).toEqual({ allow: true, scope: "session", pattern: "Bash(npm test)" });
    expect(await answer(2)).toMatchObject({ allow: false });
  });
});

it("shows a spinner while work goes on, not during a request, and the warnings of hooks", async () => {
  const { terminal, shown } = terminalChoosing(0);
  await resultsWith({
    terminal,
    promptForApproval,
    hooks: {
      PostToolUse: [
        { hooks: [{ type: "function", run: () => ({ systemMessage: "careful\u0007" }) }] },
      ],
    },
  });
  const spins = shown.filter((line) => /^[~!]/.test(line));
  expect(spins.slice(0, 7)).toEqual([
    "~ Thinking",
    "~ stopped",
    "~ Thinking",
    "~ Running echo",
    "! careful\\u{7}",
    "~ Thinking",
    "~ stopped",
  ]);
  expect(spins.at(-1)).toBe("~ stopped");
  const stopped = shown.indexOf("~ stopped");
  expect(shown[stopped + 1]).toBe("The agent wants to use echo:");
});
