import { settle } from "../failure.ts";
import type { WriteArgs } from "../files/edit/write-file.ts";
import { defineTool } from "../tool.ts";

/** Writes a whole file. */
export const writeTool = defineTool<WriteArgs>({
  name: "Write",
  description:
    "Writes a whole file, and makes the directories it needs. To change a part of a file use Edit. A file that already exists must have been read before; its line endings and its encoding are kept.",
  parameters: {
    type: "object",
    properties: {
      filePath: {
        type: "string",
        minLength: 1,
        description: "Path of the file, absolute or from the working directory",
      },
      content: { type: "string", description: "The whole text of the file" },
    },
    required: ["filePath", "content"],
    additionalProperties: false,
  },
  access: "write",
  patternArgument: "filePath",
  patternKind: "path",
  preview: async (args, context) => {
    const { previewWrite } = await import("../files/edit/write-file.ts");
    return previewWrite(args, context);
  },
  execute: (args, context) =>
    settle(async () => {
      const { writeFile } = await import("../files/edit/write-file.ts");
      return writeFile(args, context);
    }),
});
