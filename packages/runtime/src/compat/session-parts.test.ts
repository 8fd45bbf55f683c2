import { describe, expect, it } from "vitest";
import type { Message } from "../messages/message.ts";
import type { HooksConfig } from "../hooks/definition.ts";
import type { ToolExecution } from "../session/options.ts";
import { memoryPlatform } from "../testing/memory-platform.ts";
import { ScriptedProvider } from "../testing/scripted-provider.ts";
import { createFunctionTool } from "../tools/function-tool.ts";
import type { ToolContext } from "../tools/tool.ts";
import {
  CompactionOrchestrator,
  ContextWindowTracker,
  PermissionEnforcer,
  PluginCategory,
  PluginPriority,
} from "./index.ts";

const timestamp = new Date(0);
const user = (content: string): Message => ({ role: "user", id: content, timestamp, content });

describe("PermissionEnforcer", () => {
  const platform = memoryPlatform();
  const note = createFunctionTool(
    "note",
    "Notes a text",
    { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    async ({ text }) => {
      if (text === "break") throw new Error("no paper");
      return text === "long" ? "x".repeat(100_000) : `noted ${String(text)}`;
    },
  );
  let calls = 0;
  const context = (): ToolContext => ({
    platform,
    cwd: "/",
    signal: new AbortController().signal,
    toolCallId: `call-${++calls}`,
    ownerPath: [],
    emit: () => undefined,
    state: new Map(),
    memory: new Map(),
  });
  const hooks: HooksConfig = {
    PreToolUse: [
      {
        matcher: "note",
        hooks: [
          {
            type: "function",
            run: ({ tool_input: { text } }) => {
              if (text === "block") return { decision: "block", reason: "not that" };
              if (text !== "change") return undefined;
              return { hookSpecificOutput: { updatedInput: { text: "changed" } } };
            },
          },
        ],
      },
    ],
  };

  it("applies hooks, rules, the mode and people to a wrapped tool's calls, and reports the decision", async () => {
    const reported: ToolExecution[] = [];
    const enforcer = new PermissionEnforcer({
      platform,
      sessionId: "s",
      hooks,
      permissionHandler: (_tool, { text }) => text !== "no",
      onToolExecution: (execution) => reported.push(execution),
    });
    const [wrapped] = enforcer.wrapTools([note]);
    const run = async (text: string) => wrapped?.execute({ text }, context());
    expect(await run("yes")).toMatchObject({ success: true, output: "noted yes" });
    expect(await run("change")).toMatchObject({ success: true, output: "noted changed" });
    expect(await run("no")).toMatchObject({ success: false, errorCode: "permission_denied" });
    expect(await run("block")).toMatchObject({
      success: false,
      output: "Blocked by hook: not that",
      errorCode: "hook_blocked",
    });
    expect(await run("break")).toMatchObject({ success: false, output: "no paper" });
    const long = await run("long");
    expect(String((long as { output: unknown }).output).length).toBeLessThan(31_000);
    expect(reported.slice(0, 4)).toMatchObject([
      { type: "start", toolName: "note", toolArgs: { text: "yes" } },
      { type: "end", toolName: "note", toolArgs: { text: "yes" }, success: true },
      { type: "start", toolArgs: { text: "changed" } },
      { type: "end", toolArgs: { text: "changed" } },
    ]);
    expect(reported[4]).toMatchObject({
      type: "end",
      success: false,
      denied: true,
      reason: expect.stringContaining("Permission denied"),
    });
  });

  it("denies by default, and keeps a person's approval for the session until it is cleared", async () => {
    const silent = new PermissionEnforcer({ platform, sessionId: "s" });
    expect(await silent.checkPermission(note, { text: "x" }, context())).toBe(false);
    silent.setPermissionMode("bypassPermissions");
    expect(await silent.checkPermission(note, { text: "x" }, context())).toBe(true);
    expect(() => silent.setPermissionMode("none" as "plan")).toThrow("is not a permission mode");
    let asked = 0;
    const enforcer = new PermissionEnforcer({
      platform,
      sessionId: "s",
      promptForApproval: () => {
        asked += 1;
        return "allow-session";
      },
    });
    for (let round = 0; round < 3; round++)
      expect(await enforcer.checkPermission(note, { text: "x" }, context())).toBe(true);
    expect([asked, enforcer.getSessionAllowedTools()]).toEqual([
      1,
      [expect.stringContaining("note")],
    ]);
    await enforcer.clearSessionAllowedTools();
    expect(enforcer.getSessionAllowedTools()).toEqual([]);
    await enforcer.checkPermission(note, { text: "x" }, context());
    expect(asked).toBe(2);
  });
});

describe("ContextWindowTracker", () => {
  it("counts a history, and reports when a compaction is due", () => {
    const tracker = new ContextWindowTracker({ contextWindow: 1000 });
    expect(tracker.updateFromHistory([user("x".repeat(1660))])).toMatchObject({
      maxTokens: 1000,
      usedTokens: 830,
    });
    expect([tracker.shouldAutoCompact(), tracker.getAutoCompactThreshold()]).toEqual([
      false,
      0.835,
    ]);
    tracker.updateFromHistory([user("x".repeat(1680))]);
    expect(tracker.shouldAutoCompact()).toBe(true);
    tracker.setAutoCompactThreshold(false);
    expect(tracker.shouldAutoCompact()).toBe(false);
    expect(() => tracker.setAutoCompactThreshold(2)).toThrow("is not a threshold");
    tracker.reset();
    expect(tracker.getContextState().usedTokens).toBe(0);
    expect(
      new ContextWindowTracker({ model: "claude-sonnet-4-5" }).getContextState().maxTokens,
    ).toBe(200_000);
  });

  it("uses the provider's token counts, without adding them up", () => {
    const answer = (inputTokens: number): Message => ({
      role: "assistant",
      id: `${inputTokens}`,
      timestamp,
      content: "ok",
      state: "complete",
      usage: { inputTokens, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 },
    });
    const tracker = new ContextWindowTracker({ contextWindow: 1000 });
    const history = [user("a"), answer(100), user("b"), answer(200)];
    expect(tracker.updateFromHistory(history).usedTokens).toBe(210);
  });
});

describe("CompactionOrchestrator", () => {
  it("lets the provider summarise all but system messages, between its hooks", async () => {
    const reported: string[] = [];
    const provider = new ScriptedProvider([{ text: "What matters" }]);
    const orchestrator = new CompactionOrchestrator({
      provider,
      platform: memoryPlatform(),
      sessionId: "s",
      compactInstructions: "the names",
      hooks: {
        PreCompact: [
          {
            hooks: [
              {
                type: "function",
                run: ({ trigger, custom_instructions: wishes }) => {
                  reported.push(`${trigger} ${wishes}`);
                  return wishes === "never" ? { decision: "block", reason: "not now" } : undefined;
                },
              },
            ],
          },
        ],
        PostCompact: [
          {
            hooks: [
              { type: "function", run: (input) => void reported.push(input.compact_summary) },
            ],
          },
        ],
      },
    });
    const system: Message = { role: "system", id: "s", timestamp, content: "You are careful." };
    const history = [system, user("Hello")];
    expect(await orchestrator.compact(history, { trigger: "auto" })).toBe("What matters");
    const sent = provider.requests[0]?.messages ?? [];
    expect(sent.map(({ role }) => role)).toEqual(["user", "user"]);
    expect(sent[1]?.content).toContain("the names");
    await expect(orchestrator.compact(history, { instructions: "never" })).rejects.toMatchObject({
      code: "HOOK_BLOCKED",
    });
    expect(reported).toEqual(["auto the names", "What matters", "manual never"]);
  });
});

it("has the categories and priorities that plugins declare", () => {
  const category: PluginCategory = PluginCategory.MONITORING;
  const priority: PluginPriority = PluginPriority.HIGH;
  expect([category, priority, PluginPriority.CRITICAL]).toEqual(["monitoring", 800, 1000]);
});
