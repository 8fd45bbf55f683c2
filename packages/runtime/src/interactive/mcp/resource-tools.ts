import { abortError, isAbortError } from "../../errors.ts";
import { resultOf, visible } from "../../mcp/server-tool.ts";
import { contentText } from "../../messages/message.ts";
import type { ToolErrorCode } from "../../messages/tool-error-code.ts";
import type { Tool, ToolResult } from "../../tools/tool.ts";
import { defineTool } from "../../tools/tool.ts";
import type { ServerSlot } from "./server-slot.ts";
import { failureOf } from "./server-tools.ts";

const MAX_LISTED = 500;

/** The tools that list and read resources of all servers; none while no server has any. */
export function resourceTools(slots: () => readonly ServerSlot[]): Tool[] {
  const having = slots().filter(({ lists }) => lists.resources.length > 0);
  return having.length === 0 ? [] : [listTool(slots), readTool(slots)];
}

function listTool(slots: () => readonly ServerSlot[]): Tool {
  return defineTool<{ server?: string }>({
    name: "ListMcpResources",
    description:
      "Lists the resources of MCP servers: the name for ReadMcpResource, and a description.",
    parameters: {
      type: "object",
      properties: { server: { type: "string", description: "Only those of this server" } },
      additionalProperties: false,
    },
    // Lists that the session has read already. Their words are the servers'.
    access: "network",
    execute: ({ server }) => {
      const lines = slots()
        .filter(({ name }) => server === undefined || name === server)
        .flatMap(({ name, lists }) =>
          lists.resources.map((resource) => {
            const { uri, description = resource.name } = resource;
            return visible(`${name}:${uri}  ${description}`).replace(/(?<!\s)\s*\n\s*/g, " ");
          }),
        );
      const more = lines.length > MAX_LISTED ? [`… and ${lines.length - MAX_LISTED} more`] : [];
      return lines.length === 0
        ? "There are none."
        : [...lines.slice(0, MAX_LISTED), ...more].join("\n");
    },
  });
}

function readTool(slots: () => readonly ServerSlot[]): Tool {
  return defineTool<{ resource: string }>({
    name: "ReadMcpResource",
    description: "Reads a resource of an MCP server.",
    parameters: {
      type: "object",
      properties: {
        resource: { type: "string", description: "server:uri, as ListMcpResources lists it" },
      },
      required: ["resource"],
      additionalProperties: false,
    },
    access: "network",
    patternArgument: "resource",
    execute: async ({ resource }, context) => {
      const named = splitName(resource);
      const slot = named && slots().find(({ name }) => name === named.server);
      if (!slot) return unknownServer(resource, slots());
      try {
        const read = await slot.during({ signal: context.signal, context }, (connection, time) =>
          connection.readResource(named.uri, time),
        );
        return resultOf(read);
      } catch (error) {
        if (context.signal.aborted || isAbortError(error)) throw abortError();
        return failureOf(error);
      }
    },
  });
}

/** A resource as people write it: `server:uri`. */
export function splitName(resource: string): { server: string; uri: string } | undefined {
  const at = resource.indexOf(":");
  const [server, uri] = [resource.slice(0, Math.max(at, 0)), resource.slice(at + 1)];
  return server === "" || uri === "" ? undefined : { server, uri };
}

/** The words of a read resource; other content is only named. */
export function wordsOf(result: ToolResult): string {
  return contentText(result.output) || "(It has no text.)";
}

function unknownServer(resource: string, slots: readonly ServerSlot[]): ToolResult {
  const names = slots.map(({ name }) => name).join(", ");
  const output = `${visible(resource)} names no server of this session. Write server:uri. Servers: ${names || "none"}.`;
  const errorCode = "mcp_error" satisfies ToolErrorCode;
  return { success: false, output, error: output, errorCode };
}
