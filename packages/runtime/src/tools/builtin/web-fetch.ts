import { settle } from "../failure.ts";
import { defineTool, type Tool } from "../tool.ts";
import type { WebFetchArgs, WebFetchOptions } from "../web/fetch-page.ts";

/** Creates the tool that reads web pages, with custom limits. */
export function createWebFetchTool(options: WebFetchOptions = {}): Tool<WebFetchArgs> {
  return defineTool<WebFetchArgs>({
    name: "WebFetch",
    description:
      "Reads a page of the public web and shows its text, HTML as Markdown; with a prompt, a model reads it and shows only its answer. Long pages come in pieces: go on with offset. A page is kept for 15 minutes. Private addresses, files that are not text and pages that need a login can't be read.",
    parameters: {
      type: "object",
      properties: {
        url: {
          type: "string",
          minLength: 1,
          maxLength: 8000,
          description: "Whole address, such as https://example.com/page",
        },
        prompt: {
          type: "string",
          maxLength: 4000,
          description: "A question about the page, answered instead of showing it",
        },
        offset: {
          type: "integer",
          minimum: 0,
          description: "Character of the page's text to start at; 0 when left out",
        },
      },
      required: ["url"],
      additionalProperties: false,
    },
    access: "network",
    idempotent: true,
    limitsOutput: true,
    patternArgument: "url",
    patternKind: "address",
    execute: (args, context) =>
      settle(async () => {
        const { fetchPage } = await import("../web/fetch-page.ts");
        return fetchPage(args, options, context);
      }),
  });
}

/** Reads a page of the public web. */
export const webFetchTool = createWebFetchTool();
