import type { Platform } from "../../ports/platform.ts";
import type { Delegation, Isolation } from "../../session/agents/delegation.ts";
import type { SessionOptions } from "../../session/options.ts";
import type { Tool } from "../../tools/tool.ts";

/** Access of a session's own tools that an agent on a copy keeps: they change nothing. */
const KEPT_ACCESS = new Set<unknown>(["none", "read", "network"]);
const REFUSAL =
  "This session can't give an agent a copy of its files: its shell runs only on the files themselves. Start the agent without isolation, or give the platform a virtual shell.";

/** An agent's work on a copy of the files. */
export interface IsolatedWork extends Pick<Isolation, "settle"> {
  options: Pick<SessionOptions, "platform" | "tools" | "permissionMode">;
  /** For the agent. */
  notice: string;
}

/** Prepares the work on a copy, or says why there can be none. `ownTools`: the tools of every session. */
export async function isolatedWork(
  delegation: Delegation,
  ownTools: (platform: Platform, cwd: string) => Tool[],
): Promise<IsolatedWork | { refusal: string }> {
  const isolation = await delegation.isolate();
  if (!isolation) return { refusal: REFUSAL };
  const { platform, settle } = isolation;
  const { tools = [], cwd = "/", permissionMode } = delegation.options;
  const own = ownTools(platform, cwd);
  return {
    settle,
    options: {
      platform,
      tools: tools.flatMap((tool) => toolOnCopy(tool, own)),
      // A person decides on all changes together, in the end.
      permissionMode: permissionMode === "default" ? "acceptEdits" : permissionMode,
    },
    notice:
      "You work on a copy of the files, in a virtual shell. When you have ended, a person decides whether to keep your changes.",
  };
}

/** A tool that can change anything but the copy is left out: a program's own may know other ways to the files. */
function toolOnCopy(tool: Tool, own: readonly Tool[]): Tool[] {
  const ofCopy = own.find(({ name }) => name === tool.name);
  if (ofCopy) return [ofCopy];
  return KEPT_ACCESS.has(tool.access) ? [tool] : [];
}
