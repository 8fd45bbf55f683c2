import { settle } from "../failure.ts";
import type { GlobArgs } from "../files/glob/find-files.ts";
import { defineTool } from "../tool.ts";
import { pathParameter } from "./path-parameter.ts";

/** Finds files by name. */
export const globTool = defineTool<GlobArgs>({
  name: "Glob",
  description:
    'Finds files by name and lists their absolute paths, sorted by path. Patterns are like src/**/*.{ts,tsx}: * and ? within a name, ** for any directories, […] for one character of a set, {a,b} for alternatives. "*.ts" finds files directly in the directory, "**/*.ts" at any depth. Names that start with a dot are only found when the pattern has the dot. Files that .gitignore or .ignore leaves out are not listed, unless the pattern or the path names an ignored directory.',
  parameters: {
    type: "object",
    properties: {
      pattern: { type: "string", minLength: 1, description: "Such as **/*.ts" },
      path: pathParameter("Directory"),
    },
    required: ["pattern"],
    additionalProperties: false,
  },
  access: "read",
  patternArgument: "pattern",
  patternKind: "glob",
  execute: (args, context) =>
    settle(async () => {
      const { findFiles } = await import("../files/glob/find-files.ts");
      return findFiles(args, context);
    }),
});
