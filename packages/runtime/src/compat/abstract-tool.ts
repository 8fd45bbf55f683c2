import type { JsonObject, ToolArgs } from "../messages/message.ts";
import type { ToolSchema } from "../providers/provider.ts";
import type { Tool, ToolAccess, ToolContext, ToolResult } from "../tools/tool.ts";

/** Base for tools written as classes: describe the tool by `schema` and implement `execute`. */
export abstract class AbstractTool<Args extends ToolArgs = ToolArgs> implements Tool<Args> {
  abstract readonly schema: ToolSchema;
  readonly access?: ToolAccess;

  get name(): string {
    return this.schema.name;
  }

  get description(): string {
    return this.schema.description;
  }

  get parameters(): JsonObject {
    return this.schema.parameters;
  }

  abstract execute(
    args: Args,
    context: ToolContext,
  ): Promise<ToolResult | string> | ToolResult | string;
}
