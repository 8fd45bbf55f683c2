import { settle } from "../failure.ts";
import type { GrepArgs } from "../files/search-files.ts";
import { defineTool } from "../tool.ts";

const MAX_CONTEXT_LINES = 50;

/** Finds text in files. */
export const grepTool = defineTool<GrepArgs>({
  name: "Grep",
  description:
    "Searches the contents of files line by line with a regular expression (RE2 syntax: no lookaround, no back-references; escape brackets and braces to search for them). Lists the files that match, sorted, or with outputMode content the lines as path:line:text (path-line-text for context lines), or with count how many lines match in each file. Files that .gitignore leaves out, binary files and files over 10 MB are skipped.",
  parameters: {
    type: "object",
    properties: {
      pattern: { type: "string", minLength: 1, description: "Regular expression" },
      path: {
        type: "string",
        minLength: 1,
        description: "File or directory to search in; the working directory when left out",
      },
      glob: {
        type: "string",
        minLength: 1,
        description: "Only files like this, such as *.ts or src/**/*.{ts,tsx}",
      },
      outputMode: {
        type: "string",
        enum: ["files_with_matches", "content", "count"],
        description: "files_with_matches when left out",
      },
      ignoreCase: { type: "boolean", description: "Whether upper and lower case are the same" },
      context: {
        type: "integer",
        minimum: 0,
        maximum: MAX_CONTEXT_LINES,
        description: "Lines to show before and after each match, with outputMode content",
      },
    },
    required: ["pattern"],
    additionalProperties: false,
  },
  access: "read",
  patternArgument: "pattern",
  execute: (args, context) =>
    settle(async () => {
      const { searchFiles } = await import("../files/search-files.ts");
      return searchFiles(args, context);
    }),
});
