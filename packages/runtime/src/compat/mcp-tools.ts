import { ConfigurationError } from "../errors.ts";
import type { McpConnection } from "../mcp/connect-mcp.ts";
import { nameHint } from "../messages/near-names.ts";
import type { ToolArgs } from "../messages/message.ts";
import type { ToolErrorCode } from "../messages/tool-error-code.ts";
import type { ToolSchema } from "../providers/provider.ts";
import type { Tool, ToolAccess, ToolContext, ToolResult } from "../tools/tool.ts";
import { invalidArgumentsText, validateArgs } from "../tools/validate-args.ts";
import { AbstractTool } from "./abstract-tool.ts";

/** One tool of a server that `connectMcp` has connected to, as a class. */
export class MCPTool extends AbstractTool {
  readonly schema: ToolSchema;
  override readonly access: ToolAccess;
  readonly #tool: Tool;

  /**
   * `name` as the server says it, or with the connection's prefix.
   * @throws {ConfigurationError} when the server has no such tool
   */
  constructor(connection: Pick<McpConnection, "tools">, name: string) {
    super();
    this.#tool = toolOf(connection, name);
    const { description, parameters, access = "network-write" } = this.#tool;
    this.access = access;
    this.schema = { name: this.#tool.name, description, parameters };
  }

  async execute(args: ToolArgs, context: ToolContext): Promise<ToolResult> {
    return resultOf(await this.#tool.execute(args, context));
  }
}

export interface RelayMcpToolOptions {
  connection: Pick<McpConnection, "tools">;
  /** Name of the tool for the model. */
  name: string;
  /** Text before the list of tools. */
  description?: string | undefined;
}

/**
 * All tools of a server behind one: the model names the tool and gives its arguments. For servers with so many tools
 * that their schemas would fill the window: the model gets a schema only after wrong arguments.
 */
export class RelayMcpTool extends AbstractTool<RelayArgs> {
  readonly schema: ToolSchema;
  /** The strictest of the server's tools, any of which a call may be of. */
  override readonly access: ToolAccess;
  readonly #connection: Pick<McpConnection, "tools">;

  /** @throws {ConfigurationError} when the server has no tools */
  constructor({
    connection,
    name,
    description = "Calls a tool of a server.",
  }: RelayMcpToolOptions) {
    super();
    this.#connection = connection;
    const changes = connection.tools.some(({ access }) => access !== "network");
    this.access = changes ? "network-write" : "network";
    const [first, ...rest] = connection.tools.map(bareName);
    if (first === undefined)
      throw new ConfigurationError(`The server behind ${name} has no tools to relay to`, {
        hint: "Connect to a server that lists tools.",
      });
    const list = connection.tools.map((tool) => `- ${bareName(tool)}: ${tool.description}`);
    this.schema = {
      name,
      description: [`${description} Its tools:`, ...list].join("\n"),
      parameters: {
        type: "object",
        properties: {
          tool: { enum: [first, ...rest], description: "Which one" },
          arguments: { type: "object", description: "Its arguments" },
        },
        required: ["tool"],
        additionalProperties: false,
      },
    };
  }

  async execute(
    { tool: name, arguments: args = {} }: RelayArgs,
    context: ToolContext,
  ): Promise<ToolResult> {
    const tool = toolOf(this.#connection, name);
    const valid = await validateArgs(tool, args);
    if (valid.ok) return resultOf(await tool.execute(valid.args, context));
    const output = invalidArgumentsText(tool, valid.problems);
    return {
      success: false,
      output,
      error: output,
      errorCode: "invalid_arguments" satisfies ToolErrorCode,
    };
  }
}

interface RelayArgs extends ToolArgs {
  tool: string;
  arguments?: ToolArgs;
}

function toolOf({ tools }: Pick<McpConnection, "tools">, name: string): Tool {
  const tool = tools.find((one) => one.name === name || bareName(one) === name);
  if (tool) return tool;
  throw new ConfigurationError(`The server has no tool "${name}"`, {
    hint: nameHint(name, tools.map(bareName)),
  });
}

/** `mcp__<server>__<tool>` without its prefix; neither of the first two ends with a double underscore. */
function bareName({ name }: Tool): string {
  return name.replace(/^mcp__.+?__/, "");
}

function resultOf(result: ToolResult | string): ToolResult {
  return typeof result === "string" ? { success: true, output: result } : result;
}
