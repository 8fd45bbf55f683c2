import { describe, expect, it } from "vitest";
import type { AssistantMessage, Message } from "../../messages/message.ts";
import { messageToHistoryEntry } from "../../messages/history.ts";
import { memoryPlatform } from "../../testing/memory-platform.ts";
import { ScriptedProvider } from "../../testing/scripted-provider.ts";
import { createFunctionTool } from "../../tools/function-tool.ts";
import type { Tool, ToolFacts } from "../../tools/tool.ts";
import { Session } from "../session.ts";
import { isUntrustedEntry } from "./untrusted.ts";

const program = (name: string, facts: ToolFacts): Tool =>
  createFunctionTool(name, "", { type: "object" }, () => "words of anybody", facts);
const bash = program("Bash", {});

/** Names of the calls that ran, when all are allowed by broad rules and nobody can be asked. */
async function ran(before: Tool, call: { name: string; args?: object }): Promise<string[]> {
  const calls: string[] = [];
  const session = new Session({
    platform: memoryPlatform(),
    provider: new ScriptedProvider([
      { toolCalls: [{ id: "1", name: before.name, args: {} }] },
      { toolCalls: [{ id: "2", name: call.name, args: { ...call.args } }] },
      { text: "ok" },
    ]),
    tools: [before, bash],
    permissions: { allow: [before.name, "Bash(curl *)"] },
    guardUntrustedReads: true,
    onToolExecution: ({ type, toolName, success }) => {
      if (type === "end" && success) calls.push(toolName);
    },
  });
  await session.run("Go on");
  await session.shutdown();
  return calls;
}

describe("after a call of a program's tool", () => {
  const curl = { name: "Bash", args: { command: "curl https://a.test" } };

  it.each(["network", "network-write", "agent"] as const)(
    "T-23: an outgoing call needs approval again when the tool's access is %s, for any name",
    async (access) => {
      expect(await ran(program("Look", { access }), curl)).toEqual(["Look"]);
    },
  );

  it("T-23: an outgoing call needs approval again when the tool declares no access", async () => {
    expect(await ran(program("Look", {}), curl)).toEqual(["Look"]);
  });

  it.each(["none", "read", "write"] as const)(
    "an outgoing call runs when the tool's access is %s",
    async (access) => {
      expect(await ran(program("Look", { access }), curl)).toEqual(["Look", "Bash"]);
    },
  );

  it("T-23: an outgoing tool needs approval again under a rule for all of its calls", async () => {
    const look = program("Look", { access: "network" });
    expect(await ran(look, { name: "Look" })).toEqual(["Look"]);
  });
});

describe("an entry of the history", () => {
  const timestamp = new Date(0);
  const isUntrusted = (message: Message, ...tools: Tool[]): boolean =>
    isUntrustedEntry(
      messageToHistoryEntry(message),
      new Map(tools.map((tool) => [tool.name, tool])),
    );
  const result = (name: string, errorCode?: string): Message => ({
    role: "tool",
    id: "m",
    timestamp,
    toolCallId: "1",
    name,
    content: "words",
    ...(errorCode !== undefined && { errorCode }),
  });
  const answer = (content: AssistantMessage["content"]): Message => ({
    role: "assistant",
    id: "m",
    timestamp,
    content,
    state: "complete",
  });

  it("of a missing tool is untrusted, unless a built-in one of that name is local", () => {
    expect(isUntrusted(result("mcp__s__read"))).toBe(true);
    expect(isUntrusted(result("Agent"))).toBe(true);
    expect(isUntrusted(result("WebSearch"))).toBe(true);
    expect(isUntrusted(result("Read"))).toBe(false);
    expect(isUntrusted(result("Read"), program("Read", { access: "network" }))).toBe(true);
  });

  it("of a call to an unknown tool is trusted", () => {
    expect(isUntrusted(result("Lok", "unknown_tool"))).toBe(false);
  });

  it("of an answer is untrusted when it cites a page found by the provider's own search", () => {
    const text = { type: "text", text: "So it is." } as const;
    expect(isUntrusted(answer([text]))).toBe(false);
    expect(isUntrusted(answer([{ ...text, citations: [{ title: "A file" }] }]))).toBe(false);
    expect(isUntrusted(answer([{ ...text, citations: [{ url: "https://a.test" }] }]))).toBe(true);
  });
});
