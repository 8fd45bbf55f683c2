import { expectTypeOf, it } from "vitest";
import { createFunctionTool } from "../tools/function-tool.ts";
import type {
  IBundlePluginManifest,
  ICommand,
  ICommandSource,
  IDiffLine,
  ILoadedBundlePlugin,
  ISessionOptions,
} from "./index.ts";

it("has a bundle of the specification, whose parts fit the options of a session", () => {
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

it("has sources of commands, and lines of a difference", () => {
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
