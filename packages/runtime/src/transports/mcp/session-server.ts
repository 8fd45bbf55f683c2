import type { McpServer } from "@modelcontextprotocol/server";
import { isAllowed } from "../../interactive/commands/authorize.ts";
import type { CommandCaller } from "../../interactive/commands/command.ts";
import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import { addFiles } from "./files.ts";
import type { McpTransportOptions } from "./mcp-transport.ts";
import { runTurn } from "./run-turn.ts";
import { addSubmitTool } from "./submit-tool.ts";

/** A tool's name in the protocol has letters, digits, `_` and `-`; a plugin's command also has a colon. */
const COMMAND_PREFIX = "command_";
const MAX_NAME = 64;

const ARGS = {
  type: "object",
  properties: { args: { type: "string", description: "The text behind the command's name." } },
} as const;

/** Makes the server for one connection or request: the same tools and resources for all protocol versions. */
export async function serverOf(
  session: InteractiveSession,
  { name = "robota", commandScopes = ["read"], files }: McpTransportOptions,
  { era }: { era: "legacy" | "modern" },
): Promise<McpServer> {
  const sdk = await import("./sdk.ts");
  await session.ready;
  const server = new sdk.McpServer(
    { name, version: "0.1.0" },
    { instructions: "An agent session that works on files. Give it tasks with the tool submit." },
  );
  const ask = { sdk, server, era };
  addSubmitTool(session, ask);

  const caller: CommandCaller = { kind: "remote", scopes: commandScopes };
  const taken = new Set<string>();
  for (const command of await session.getCommands()) {
    const tool = toolName(command.name);
    const isRunnable = command.execute !== undefined || command.prompt !== undefined;
    if (!isRunnable || !isAllowed(command, caller) || taken.has(tool)) continue;
    taken.add(tool);
    const { description, argumentHint } = command;
    server.registerTool(
      tool,
      {
        title: `/${command.name}${argumentHint === undefined ? "" : ` ${argumentHint}`}`,
        description,
        inputSchema: sdk.fromJsonSchema<{ args?: string }>(ARGS),
      },
      async ({ args = "" }, context) => {
        // A turn that asked for input goes on, and its prompt is not made again.
        if (context.mcpReq.requestState() !== undefined)
          return runTurn(session, { ...ask, context }, () => Promise.reject(new Error("no turn")));
        const outcome = await session.prepareCommand(command.name, args, { caller });
        const { prompt } = outcome ?? {};
        if (prompt)
          return runTurn(session, { ...ask, context }, (options) =>
            session.submitPrompt(prompt, options),
          );
        const { message, success } = outcome?.result ?? {
          message: "There is no such command.",
          success: false,
        };
        return {
          content: [{ type: "text", text: message }],
          isError: success ? undefined : true,
        };
      },
    );
  }
  if (files) addFiles(server, sdk, { session, ...files });
  return server;
}

function toolName(command: string): string {
  return (COMMAND_PREFIX + command.replaceAll(/[^A-Za-z0-9_-]/g, "_")).slice(0, MAX_NAME);
}
