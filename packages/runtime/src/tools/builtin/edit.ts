import { settle } from "../failure.ts";
import type { EditArgs } from "../files/edit/edit-file.ts";
import { defineTool } from "../tool.ts";

/** Replaces text in a file. */
export const editTool = defineTool<EditArgs>({
  name: "Edit",
  description:
    "Replaces oldString by newString in a file that has been read before. oldString must be in the file exactly as it stands there, white space included and without the line numbers that Read shows, and only once unless replaceAll is true: include lines around it to make it unique. Line endings are matched and kept automatically.",
  parameters: {
    type: "object",
    properties: {
      filePath: {
        type: "string",
        minLength: 1,
        description: "Path of the file, absolute or from the working directory",
      },
      oldString: { type: "string", description: "The text to replace" },
      newString: { type: "string", description: "The text to put in its place" },
      replaceAll: {
        type: "boolean",
        description: "Replace every occurrence; false when left out",
      },
    },
    required: ["filePath", "oldString", "newString"],
    additionalProperties: false,
  },
  access: "write",
  patternArgument: "filePath",
  patternKind: "path",
  preview: async (args, context) => {
    const { previewEdit } = await import("../files/edit/edit-file.ts");
    return previewEdit(args, context);
  },
  execute: (args, context) =>
    settle(async () => {
      const { editFile } = await import("../files/edit/edit-file.ts");
      return editFile(args, context);
    }),
});
