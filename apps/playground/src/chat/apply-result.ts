import type { CommandResult } from "@robota/runtime/sessions";
import { openDialog } from "../layout/open-dialog.ts";

/**
 * Does what a command leaves to the page: opens another session or the choice of one, or saves a file. Returns what the
 * person is told.
 */
export function applyResult(
  result: CommandResult,
  onOpen: (sessionId?: string) => void,
): CommandResult {
  const { sessionId, triggerResumePicker, forkedFrom, resetRequested, exitRequested, ...saved } =
    result.data ?? {};
  const leaves = triggerResumePicker === true || forkedFrom !== undefined;
  if (leaves && typeof sessionId === "string") onOpen(sessionId);
  else if (triggerResumePicker === true) {
    openDialog("palette", { search: "open " });
    return { ...result, message: "" };
  } else if (resetRequested === true) onOpen();
  else if (exitRequested === true)
    return { ...result, message: "Close this tab to leave. The session is kept." };
  else if (typeof saved["fileName"] === "string" && typeof saved["text"] === "string")
    save(saved["fileName"], saved["text"]);
  return result;
}

function save(fileName: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text]));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
