import { settle } from "../failure.ts";
import type { ReadArgs } from "../files/read/read-file.ts";
import { count } from "../text-cut.ts";
import { defineTool } from "../tool.ts";
import { DEFAULT_LINES } from "../tool-limits.ts";

/** Shows a file to the model: text with line numbers, a notebook's cells, an image or a document. */
export const readTool = defineTool<ReadArgs>({
  name: "Read",
  description: `Reads a file and shows its text with line numbers (number, tab, line), ${count(DEFAULT_LINES)} lines from the start unless told otherwise. Images (PNG, JPEG, GIF, WebP) and PDF documents are shown as such, and Jupyter notebooks as cells with their outputs unless offset or limit is given. Prefer reading a whole file over many small parts; use offset and limit for large files. A file must be read before Edit or Write may change it.`,
  parameters: {
    type: "object",
    properties: {
      filePath: {
        type: "string",
        minLength: 1,
        description: "Path of the file, absolute or from the working directory",
      },
      offset: { type: "integer", minimum: 1, description: "First line to show, from 1" },
      limit: { type: "integer", minimum: 1, description: "Number of lines to show" },
    },
    required: ["filePath"],
    additionalProperties: false,
  },
  access: "read",
  limitsOutput: true,
  patternArgument: "filePath",
  patternKind: "path",
  execute: (args, context) =>
    settle(async () => {
      const { readFile } = await import("../files/read/read-file.ts");
      return readFile(args, context);
    }),
});
