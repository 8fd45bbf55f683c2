import type { SessionConnection } from "@robota/react/store";
import type { CommandResult } from "@robota/runtime/sessions";
import { moveByCommand } from "../../remote/move-command.ts";
import type { PageState } from "../../state/page-state.ts";
import { helpText } from "./help-text.ts";
import { pageCommands } from "./page-commands.ts";

/** The page's answer to one of its commands; `undefined` for one that is the session's after all. */
export async function answerOnPage(
  { name, args }: { name: string; args: string },
  session: Pick<SessionConnection, "getCommands">,
  page: PageState,
): Promise<CommandResult | undefined> {
  const wanted = args.trim();
  if (name === "move") return moveByCommand(wanted, page);
  const own = pageCommands(page.phase.get().kind === "remote");
  const about = wanted.replace(/^\//, "");
  const asked = own.filter((command) => command.name === about);
  if (about !== "" && asked.length === 0) return undefined;
  const listed = about === "" ? [...(await session.getCommands()), ...own] : asked;
  return { message: helpText(listed), success: true };
}
