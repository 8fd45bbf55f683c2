import { sessionStore, type TurnView } from "@robota/react/store";
import type { FileSystem } from "@robota/runtime";
import type { ClientSession } from "@robota/runtime/sessions";
import { useRef } from "react";
import { beginsWithCopy } from "../../files/own-copy.ts";
import { DEFAULT_WORKSPACE, workspaceId } from "../../state/current-workspace.ts";
import { usePage } from "../../state/page-context.ts";
import { announce } from "../../ui/announcer.tsx";
import { guidedCommands } from "./guided-commands.ts";

/** The actions of cards. Failures are shown by the page. */
export interface Cards {
  /** Runs the commands of a card, on a sample as it was. */
  start: (commands: string, title: string) => void;
  /** Gives the sample's files their first content back. */
  reset: () => void;
  /** Sends the prompt of a turn once more. */
  again: (turn: TurnView) => void;
}

export function useCards(opened: Promise<ClientSession>): Cards {
  const page = usePage();
  const onProblem = (error: unknown) => page.reportProblem(error);
  const isStarted = useRef(false);

  /** The files with the sample: the workspace's, or a fork's own copy. A server has none. */
  function sampleFiles(): FileSystem | undefined {
    const phase = page.phase.get();
    if (phase.kind === "remote" || workspaceId !== DEFAULT_WORKSPACE) return undefined;
    const hasCopy =
      phase.kind === "ready" && beginsWithCopy(sessionStore(phase.session).rows.get());
    return hasCopy ? phase.session.workspace.fs : page.host.get()?.fs;
  }

  async function start(commands: string, title: string) {
    // The shell starts while the session opens.
    if (/^run /m.test(commands))
      page.host
        .get()
        ?.shell.load?.()
        .catch(() => undefined);
    const session = await opened;
    const fs = sampleFiles();
    if (fs) await (await import("./sample.ts")).prepareSample(fs);
    page.noteFiles();
    // The title comes first, because the list of sessions shows how a session began.
    await session.submit(commands, `${title}\n\n${commands}`);
  }

  async function reset() {
    await opened;
    const fs = sampleFiles();
    if (fs) await (await import("./sample.ts")).resetSample(fs);
    page.noteFiles();
  }

  async function again({ prompt, attachments }: TurnView) {
    const guided = guidedCommands(prompt);
    if (guided) await start(guided.commands, guided.title);
    else await (await opened).submit(prompt, { attachments });
  }

  /** Sends one prompt for a double click. */
  function once(send: () => Promise<void>): void {
    if (isStarted.current) return;
    isStarted.current = true;
    const end = () => void (isStarted.current = false);
    void send().catch(onProblem).then(end);
  }

  return {
    start: (commands, title) => once(() => start(commands, title)),
    reset: () => void reset().then(() => announce("The sample files are reset"), onProblem),
    again: (turn) => once(() => again(turn)),
  };
}
