import type { Shell } from "../../ports/shell.ts";
import { settle } from "../failure.ts";
import { defineTool, type Tool } from "../tool.ts";
import type { BashArgs } from "./bash-run.ts";
import { DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from "../tool-limits.ts";

/** Descriptions of shells that give none themselves. */
const ABOUT_SHELL: Record<Shell["kind"], string> = {
  native: "Commands run in the real shell of this machine, with its programs.",
  virtual:
    "The shell is a virtual bash over the session's files; it can't start the machine's programs.",
};

/** The Bash tool, with a description that fits the shell it will run on. */
export function createBashTool(shell?: Pick<Shell, "kind" | "describe">): Tool<BashArgs> {
  return defineTool<BashArgs>({
    name: "Bash",
    description: [
      "Runs a command line in bash and shows its output and exit code. Use Read, Write, Edit, Glob and Grep instead where they do the same: their results are shorter and safer.",
      ...(shell ? [shell.describe?.() ?? ABOUT_SHELL[shell.kind]] : []),
      "Commands start in the working directory; a cd holds for the next call when the result says so, and so do exported variables. There is no input, so nothing may ask for any. Long output is shortened in the middle, and all of it is kept in a file that the result names.",
    ].join(" "),
    parameters: {
      type: "object",
      properties: {
        command: { type: "string", minLength: 1, description: "The command line" },
        timeoutMs: {
          type: "integer",
          minimum: 1,
          maximum: MAX_TIMEOUT_MS,
          description: `Milliseconds after which the command is stopped; ${DEFAULT_TIMEOUT_MS} when left out`,
        },
        background: {
          type: "boolean",
          description:
            "Starts the command and returns at once, with an id and the file that its output goes to. It may run until the session ends, unless timeoutMs is given",
        },
        description: {
          type: "string",
          description: "Purpose of the command in a few words, for the person who approves it",
        },
      },
      required: ["command"],
      additionalProperties: false,
    },
    access: "execute",
    limitsOutput: true,
    patternArgument: "command",
    patternKind: "command",
    preview: async (args, context) => {
      const { previewBash } = await import("./bash-run.ts");
      return previewBash(args, context);
    },
    execute: (args, context) =>
      settle(async () => {
        const { runBash } = await import("./bash-run.ts");
        return runBash(args, context);
      }),
  });
}

/** Runs command lines. */
export const bashTool = createBashTool();
