import { expect, expectTypeOf, it } from "vitest";
import { CommandRegistry } from "../interactive/commands/registry.ts";
import type { InteractiveSession } from "../interactive/interactive-session.ts";
import { createFunctionTool } from "../tools/function-tool.ts";
import type {
  IBundlePluginManifest,
  ICommand,
  ICommandResult,
  ICommandSource,
  IDiffLine,
  ILoadedBundlePlugin,
  ISessionOptions,
  ISystemCommand,
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
