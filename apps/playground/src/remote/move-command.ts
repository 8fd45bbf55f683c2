import type { CommandResult } from "@robota/runtime/sessions";
import { addressProblem } from "../connections/address.ts";
import { openDialog } from "../layout/open-dialog.ts";
import { firstPrompt, sessionTitle } from "../sessions/session-title.ts";
import { isNew, type PageState } from "../state/page-state.ts";

/** Opens the dialog that `/move` asks for: to a server, or from there into this browser. */
export function moveByCommand(args: string, page: PageState): CommandResult {
  const phase = page.phase.get();
  if (phase.kind !== "ready" && phase.kind !== "remote")
    return refused("This session can only be read here.");
  const { session } = phase;
  const facts = {
    id: session.sessionId,
    title: sessionTitle({
      name: session.getName(),
      preview: firstPrompt(session.getMessages()) ?? "",
    }),
  };
  if (phase.kind === "remote") {
    if (args !== "" && args !== "here")
      return refused("From a server, a session moves into this browser first: /move here.");
    openDialog("move", { ...facts, direction: "back", server: phase.server });
  } else {
    if (args === "here") return refused("This session is in this browser already.");
    if (isNew(phase.session)) return refused("There is nothing to move yet. Send a message first.");
    const server = args.replace(/\/+$/, "");
    const problem = server && addressProblem(server, location.href);
    if (problem) return refused(problem);
    openDialog("move", { ...facts, direction: "there", server: server || undefined });
  }
  return { message: "", success: true };
}

function refused(message: string): CommandResult {
  return { message, success: false };
}
