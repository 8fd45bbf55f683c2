import { settle } from "../failure.ts";
import type { GrepArgs } from "../files/search/search-files.ts";
import { defineTool } from "../tool.ts";
import { pathParameter } from "./path-parameter.ts";
import { MAX_SEARCHED_BYTES } from "../tool-limits.ts";

const MAX_CONTEXT_LINES = 50;

/** Finds text in files. */
export const grepTool = defineTool<GrepArgs>({
  name: "Grep",
  description: `Searches the contents of files line by line with a regular expression (RE2 syntax: no lookaround, no back-references; escape brackets and braces to search for them). Lists the files that match, sorted by path, or with outputMode content the lines as path:line:text (path-line-text for context lines), or with count how many lines match in each file. Dotfiles are searched too; files that .gitignore or .ignore leaves out and files over ${MAX_SEARCHED_BYTES / 1_000_000} MB are not, and binary files that match are only counted.`,
  parameters: {
    type: "object",
    properties: {
      pattern: { type: "string", minLength: 1, description: "Regular expression" },
      path: pathParameter("File or directory"),
      glob: {
        type: "string",
        minLength: 1,
        description: "Only files that match this glob, such as *.ts or src/**/*.{ts,tsx}",
      },
      outputMode: {
        type: "string",
        enum: ["files_with_matches", "content", "count"],
        description: "files_with_matches when left out",
      },
      ignoreCase: { type: "boolean", description: "Ignore upper and lower case" },
      context: {
        type: "integer",
        minimum: 0,
        maximum: MAX_CONTEXT_LINES,
        description: "Lines to show before and after each match, with outputMode content",
      },
      type: {
        type: "string",
        minLength: 1,
        description: "Only files of this type, such as ts, js, py, go, rust or md",
      },
      multiline: {
        type: "boolean",
        description: "Let matches span lines, with . for line breaks too",
      },
    },
    required: ["pattern"],
    additionalProperties: false,
  },
  access: "read",
  patternArgument: "pattern",
  patternKind: "search",
  execute: (args, context) =>
    settle(async () => {
      const { searchFiles } = await import("../files/search/search-files.ts");
      return searchFiles(args, context);
    }),
});
