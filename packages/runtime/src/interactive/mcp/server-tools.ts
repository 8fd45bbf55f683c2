import { defined } from "../../defined.ts";
import { abortError, errorMessage, isAbortError, RobotaError } from "../../errors.ts";
import { asTool, calledName, type ServerTool, visible } from "../../mcp/server-tool.ts";
import { redact } from "../../messages/redact.ts";
import type { ToolErrorCode } from "../../messages/tool-error-code.ts";
import type { ConfigureContext } from "../../session/configuration.ts";
import type { Tool, ToolContext, ToolPreview, ToolResult } from "../../tools/tool.ts";
import { askPerson } from "./person.ts";
import type { ServerSlot } from "./server-slot.ts";

/** Called when the definition of a tool was approved, which may change what is offered. */
type OnApproved = () => void;

/**
 * The tools of a server under the session's rules. A new one is shown with its definition to whoever approves its first
 * call; one that changed is offered as it was approved, until a person has seen the difference and agreed.
 */
export function toolsOf(
  slot: ServerSlot,
  delegate: ConfigureContext["delegate"],
  onApproved: OnApproved,
): Tool[] {
  return slot.lists.tools.map(({ tool, pin }) => {
    const kept = slot.pins?.get(tool.name);
    const approve = async (): Promise<void> => {
      await slot.pins?.keep({ pin, definition: tool });
      onApproved();
    };
    if (kept?.pin === pin) return sessionTool(slot, tool, {});
    if (!kept) return sessionTool(slot, tool, { before: approve, preview: newNote(tool) });
    const before = async (context: ToolContext): Promise<ToolResult | undefined> => {
      // Approved meanwhile, by another call.
      if (slot.pins?.get(tool.name)?.pin === pin) return undefined;
      const asked = { server: slot.name, context, delegate };
      const { allow, by } = await askPerson(asked, changeQuestion(slot, kept.definition, tool));
      if (by === "abort") throw abortError();
      if (!allow) return refusal(slot, tool);
      await approve();
      return undefined;
    };
    return sessionTool(slot, kept.definition, { before: async (context) => before(context) });
  });
}

interface ToolParts {
  /** Runs before the call; a result that it gives takes the call's place. */
  before?: (context: ToolContext) => Promise<ToolResult | undefined | void>;
  preview?: ToolPreview;
}

function sessionTool(slot: ServerSlot, tool: ServerTool, { before, preview }: ToolParts): Tool {
  const called = asTool(slot.name, tool, (args, context) =>
    slot.during({ signal: context.signal, context }, (connection, time) =>
      connection.callTool(tool, args, {
        time,
        onProgress: (text) => context.emit({ text: visible(text) }),
      }),
    ),
  );
  return {
    ...called,
    ...defined({ preview: preview && (async () => preview) }),
    execute: async (args, context) => {
      const instead = await before?.(context);
      if (instead) return instead;
      try {
        return await called.execute(args, context);
      } catch (error) {
        if (context.signal.aborted || isAbortError(error)) throw error;
        return failureOf(error);
      }
    },
  };
}

/** The result of a call that the server did not answer with one. */
export function failureOf(error: unknown): ToolResult {
  const message = visible(redact(errorMessage(error)));
  const isLate = error instanceof RobotaError && error.code === "MCP_TIMEOUT";
  const errorCode = (isLate ? "timeout" : "mcp_error") satisfies ToolErrorCode;
  return { success: false, output: message, error: message, errorCode };
}

function newNote(tool: ServerTool): ToolPreview {
  return { note: `The first use of this tool. The server describes it so:\n${shown(tool)}` };
}

function changeQuestion(
  { name }: ServerSlot,
  before: ServerTool,
  after: ServerTool,
): Parameters<typeof askPerson>[1] {
  const tool = calledName(name, after.name);
  return {
    tool,
    args: { tool: after.name, server: name },
    reason: `The MCP server ${name} has changed this tool since it was approved. Its calls run only after a yes to the change.`,
    preview: { changes: [{ path: `${tool}.json`, before: shown(before), after: shown(after) }] },
  };
}

function refusal({ name }: ServerSlot, tool: ServerTool): ToolResult {
  const output = `The call was not run: the MCP server ${name} has changed ${tool.name} since it was approved, and the change was not approved.`;
  const errorCode = "permission_denied" satisfies ToolErrorCode;
  return { success: false, output, error: output, errorCode };
}

function shown(tool: ServerTool): string {
  return visible(JSON.stringify(tool, undefined, 2));
}
