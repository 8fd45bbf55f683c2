import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import type { ServerTool } from "./server-tool.ts";

/** Bound against a server's endless list. */
const MAX_PAGES = 100;

interface Page {
  tools: ServerTool[];
  nextCursor?: string;
}

/**
 * Accepts a page unmodified. The client's own schema drops unknown fields, and a pin must cover every field a model may
 * be shown one day.
 */
const WHOLE_PAGE = {
  "~standard": {
    version: 1 as const,
    vendor: "robota",
    validate: (value: unknown) =>
      isPage(value)
        ? { value }
        : { issues: [{ message: "a page of tools has an unexpected form" }] },
    types: undefined as { input: unknown; output: Page } | undefined,
  },
};

/** All tools of a server, with all fields. */
export async function listTools(client: Client, options: RequestOptions): Promise<ServerTool[]> {
  const tools: ServerTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: "tools/list", params }, WHOLE_PAGE, options);
    tools.push(...answer.tools);
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}

function isPage(value: unknown): value is Page {
  return isRecord(value) && Array.isArray(value.tools) && value.tools.every(isServerTool);
}

function isServerTool(value: unknown): value is ServerTool {
  return isRecord(value) && typeof value.name === "string" && isRecord(value.inputSchema);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
