import type { Platform } from "../../ports/platform.ts";
import type { Tool } from "../tool.ts";
import { createBashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { readTool } from "./read.ts";
import { webFetchTool } from "./web-fetch.ts";
import { webSearchTool } from "./web-search.ts";
import { writeTool } from "./write.ts";

/** The tools that a session has without being given any. */
export function createDefaultTools(platform: Platform, _cwd: string): Tool[] {
  return [
    createBashTool(platform.shell),
    readTool,
    writeTool,
    editTool,
    globTool,
    grepTool,
    webFetchTool,
    webSearchTool,
  ];
}
