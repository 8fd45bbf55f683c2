import { settle } from "../failure.ts";
import { defineTool, type Tool } from "../tool.ts";
import type { SearchBackend } from "../web/search-backend.ts";
import type { WebSearchArgs } from "../web/search-web.ts";

export interface WebSearchOptions {
  /** The search service; by default the environment decides, as for `webSearchTool`. */
  backend?: SearchBackend | undefined;
}

/**
 * Creates the tool that searches the web through the given service; without one, through a service whose key is in the
 * environment, or the model's own search.
 */
export function createWebSearchTool({ backend }: WebSearchOptions = {}): Tool<WebSearchArgs> {
  return defineTool<WebSearchArgs>({
    name: "WebSearch",
    description:
      "Searches the web and lists titles, addresses and short extracts of the pages found, best first. WebFetch reads a page.",
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", minLength: 1, maxLength: 400, description: "The search query" },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: 20,
          description: "Maximum number of results; 8 when left out",
        },
      },
      required: ["query"],
      additionalProperties: false,
    },
    access: "network",
    idempotent: true,
    limitsOutput: true,
    patternArgument: "query",
    patternKind: "query",
    execute: (args, context) =>
      settle(async () => {
        const { searchWeb } = await import("../web/search-web.ts");
        return searchWeb(args, backend, context);
      }),
  });
}

/**
 * Searches with the service that the environment names: `BRAVE_API_KEY`, else `TAVILY_API_KEY`, else `SEARXNG_URL`. Without
 * one of them a call fails and says so.
 */
export const webSearchTool = createWebSearchTool();
