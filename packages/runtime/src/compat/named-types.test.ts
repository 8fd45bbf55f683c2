import { expect, expectTypeOf, it } from "vitest";
import { CommandRegistry } from "../interactive/commands/registry.ts";
import { InteractiveSession } from "../interactive/interactive-session.ts";
import { evaluatePermission } from "../permissions/evaluate-permission.ts";
import { Session } from "../session/session.ts";
import { createFunctionTool } from "../tools/function-tool.ts";
import { memoryPlatform } from "../testing/memory-platform.ts";
import { ScriptedProvider } from "../testing/scripted-provider.ts";
import {
  AbstractTool,
  CompactionOrchestrator,
  type IBundlePluginManifest,
  type ICommand,
  type ICommandResult,
  type ICommandSource,
  type ICompactionOptions,
  type IDiffLine,
  type IFunctionTool,
  type IInteractiveSessionOptions,
  type ILoadedBundlePlugin,
  type IResolvedConfig,
  type ISessionOptions,
  type ISessionShutdownOptions,
  type ISystemCommand,
  type ITool,
  type IToolResult,
  type IToolWithEventService,
  type TAutoCompactThreshold,
  type TInteractivePermissionHandler,
  type TKnownToolName,
} from "./index.ts";

it("accepts the specification's bundle type, whose parts fit a session's options", () => {
  const manifest: IBundlePluginManifest = {
    name: "weather",
    version: "1.0.0",
    description: "Tells the weather",
    author: "Ada",
    keywords: ["weather"],
  };
  const bundle: ILoadedBundlePlugin = {
    manifest,
    tools: [createFunctionTool("weather", "Tells it", { type: "object" }, () => "sun")],
    hooks: { Stop: [{ matcher: "", hooks: [{ type: "command", command: "true" }] }] },
    permissions: { allow: ["weather"] },
    systemPrompt: "Speak of the weather",
  };
  expectTypeOf(bundle.tools).toExtend<ISessionOptions["tools"]>();
  expectTypeOf(bundle.hooks).toExtend<ISessionOptions["hooks"]>();
  expectTypeOf(bundle.permissions).toExtend<ISessionOptions["permissions"]>();
});

it("types commands with a result", async () => {
  const command: ISystemCommand = {
    name: "ping",
    description: "Answers",
    execute: (session, args) => ({
      message: `pong ${args}`,
      success: true,
      data: { sessionId: session.sessionId },
    }),
  };
  expectTypeOf<ISystemCommand["execute"]>().parameters.toEqualTypeOf<
    [session: InteractiveSession, args: string]
  >();
  expectTypeOf<ISystemCommand["execute"]>().returns.toEqualTypeOf<
    Promise<ICommandResult> | ICommandResult
  >();
  expectTypeOf<ICommandResult>().toEqualTypeOf<{
    message: string;
    success: boolean;
    data?: Record<string, unknown>;
  }>();
  const listed: ICommand = { ...command, source: "builtin" };
  const registry = new CommandRegistry();
  const source: ICommandSource = { name: "mine", getCommands: () => [listed] };
  registry.addSource(source);
  expect(await registry.getCommands()).toEqual([listed]);
  // Embedded in the session, and no part of the package.
  const exported = { ...(await import("../index.ts")), ...(await import("./index.ts")) };
  expect(exported).not.toHaveProperty("SystemCommandExecutor");
  expect(exported).not.toHaveProperty("createSystemCommands");
});

it("types command sources and diff lines", () => {
  const source: ICommandSource = { name: "none", getCommands: () => [] };
  expectTypeOf<Awaited<ReturnType<typeof source.getCommands>>>().toEqualTypeOf<
    readonly ICommand[]
  >();
  const lines: IDiffLine[] = [
    { type: "remove", text: "a", lineNumber: 1 },
    { type: "add", text: "b", lineNumber: 1 },
    { type: "context", text: "c", lineNumber: 2 },
  ];
  expectTypeOf(lines[0]).toEqualTypeOf<IDiffLine | undefined>();
});

it("types tools and their results for a session, as functions and as classes", async () => {
  const asFunction: IFunctionTool = createFunctionTool("a", "A", { type: "object" }, () => "a");
  class AsClass extends AbstractTool {
    readonly schema = { name: "b", description: "B", parameters: { type: "object" } };
    execute(): IToolResult {
      return { success: true, output: "b" };
    }
  }
  const asClass: IToolWithEventService = new AsClass();
  const tools: ITool[] = [asFunction, asClass];
  expectTypeOf(tools).toExtend<ISessionOptions["tools"]>();
  expectTypeOf<IToolResult>().toExtend<Awaited<ReturnType<ITool["execute"]>>>();
  expect(tools.map(({ name }) => name)).toEqual(["a", "b"]);
});

it("names the tools that permissions know", () => {
  const known: Record<TKnownToolName, string> = {
    Read: "auto",
    Glob: "auto",
    Grep: "auto",
    Bash: "deny",
    Write: "deny",
    Edit: "deny",
    WebFetch: "approve",
    WebSearch: "approve",
  };
  const inPlanMode = Object.keys(known).map((name) => [name, evaluatePermission(name, {}, "plan")]);
  expect(Object.fromEntries(inPlanMode)).toEqual(known);
});

it("types the options and the settings of a session's life", async () => {
  const handler: TInteractivePermissionHandler = async () => ({ allow: false });
  expectTypeOf(handler).toExtend<ISessionOptions["permissionHandler"]>();
  expectTypeOf(handler).toExtend<IInteractiveSessionOptions["permissionHandler"]>();
  const parts = { platform: memoryPlatform(), provider: new ScriptedProvider([]) };
  const interactive = new InteractiveSession({ ...parts, permissionHandler: handler });
  const session = new Session(parts);
  await interactive.ready;
  const config: IResolvedConfig | undefined = interactive.getSettings();
  expect(config?.warnings).toEqual([]);
  for (const threshold of [0.5, false] satisfies TAutoCompactThreshold[]) {
    session.setAutoCompactThreshold(threshold);
    expect(session.getAutoCompactThreshold()).toBe(threshold);
  }
  const reason: ISessionShutdownOptions = { reason: "logout" };
  await session.shutdown(reason);
  await interactive.shutdown(reason);
  const options: ICompactionOptions = { ...parts, sessionId: "s" };
  expect(new CompactionOrchestrator(options)).toBeInstanceOf(CompactionOrchestrator);
});
