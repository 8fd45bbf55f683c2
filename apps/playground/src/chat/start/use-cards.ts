import type { TurnView } from "@robota/react/store";
import type { ClientSession } from "@robota/runtime/sessions";
import { DEFAULT_WORKSPACE, workspaceId } from "../../state/current-workspace.ts";
import { usePage } from "../../state/page-context.ts";
import { guidedCommands } from "./guided-commands.ts";

/** The actions of cards. Failures are shown by the page. */
export interface Cards {
  /** Runs the commands of a card, on a sample as it was. */
  start: (commands: string, title: string) => void;
  /** Gives the sample's files their first content back. */
  reset: () => Promise<void>;
  /** Sends the prompt of a turn once more. */
  again: (turn: TurnView) => void;
}

export function useCards(opened: Promise<ClientSession>): Cards {
  const page = usePage();
  const onProblem = (error: unknown) => page.reportProblem(error);

  async function start(commands: string, title: string) {
    const session = await opened;
    const fs = page.host.get()?.fs;
    const isHere = page.phase.get().kind !== "remote";
    if (fs && isHere && workspaceId === DEFAULT_WORKSPACE)
      await (await import("./sample.ts")).prepareSample(fs);
    // The title comes first, because the list of sessions shows how a session began.
    await session.submit(commands, `${title}\n\n${commands}`);
  }

  async function reset() {
    await opened;
    const fs = page.host.get()?.fs;
    if (fs) await (await import("./sample.ts")).resetSample(fs);
  }

  async function again({ prompt, attachments }: TurnView) {
    const guided = guidedCommands(prompt);
    if (guided) await start(guided.commands, guided.title);
    else await (await opened).submit(prompt, undefined, undefined, { attachments });
  }

  return {
    start: (commands, title) => void start(commands, title).catch(onProblem),
    reset: () => reset().catch(onProblem),
    again: (turn) => void again(turn).catch(onProblem),
  };
}
