import {
  useBackgroundAgents,
  useCommands,
  usePermissionRequests,
  useQueue,
  useSession,
} from "@robota/react";
import { lastTurn, parseCommand, sessionStore } from "@robota/react/store";
import type { InteractiveSession } from "@robota/runtime";
import type { CommandResult } from "@robota/runtime/sessions";
import { type RefObject, Suspense, useState } from "react";
import { AgentsRegion, ApprovalDock, Queue } from "../lazy.ts";
import { isNew } from "../state/page-state.ts";
import { Composer } from "./composer.tsx";
import { EmptyState } from "./empty-state.tsx";
import { StatusAnnouncer } from "./status-announcer.tsx";
import { Transcript } from "./transcript.tsx";

export interface ChatProps {
  /** Present as soon as the session is open. */
  session: InteractiveSession | undefined;
  /** Resolves to the session, so that a prompt can be sent before it is there. */
  opened: Promise<InteractiveSession>;
  /** Id of the draft. */
  draftId: string;
  byline: string;
  /** Not on a phone, where focus brings up the keyboard. */
  autoFocus: boolean;
  dock: RefObject<HTMLElement | null>;
  onJumpToRequest: () => void;
  /** Opens that session, or a new one. */
  onOpen: (sessionId?: string) => void;
  onProblem: (error: unknown) => void;
}

/** The conversation, its requests, and the composer. */
export function Chat(props: ChatProps) {
  const { session, opened, draftId, byline, autoFocus, dock, onJumpToRequest, onOpen, onProblem } =
    props;
  const [textarea, setTextarea] = useState<HTMLTextAreaElement | null>(null);
  const { isRunning, mode, setMode, steer, abort } = useSession(session);
  const { requests, answer } = usePermissionRequests(session);
  const { prompts, drop, clear } = useQueue(session);
  const agents = useBackgroundAgents(session);
  const commands = useCommands(session);

  async function send(text: string) {
    await (await opened).submit(text);
  }

  function start(commands: string, title: string) {
    // The title comes first, because the list of sessions shows how a session began.
    session?.submit(commands, `${title}\n\n${commands}`).catch(onProblem);
  }

  async function runCommand(text: string): Promise<CommandResult | null> {
    const result = session ? await commands.run(text) : await runEarly(text);
    if (result?.data) {
      const { applyResult } = await import("./apply-result.ts");
      applyResult(result.data, onOpen);
    }
    return result;
  }

  /** Runs what was typed before the session was open. */
  async function runEarly(text: string): Promise<CommandResult | null> {
    const command = parseCommand(text);
    return command ? (await opened).executeCommand(command.name, command.args) : null;
  }

  return (
    <main data-part="chat">
      <StatusAnnouncer session={session} />
      <Transcript
        session={session}
        byline={byline}
        empty={session && isNew(session) && <EmptyState onStart={start} />}
      />
      {session && requests.length > 0 && (
        <Suspense>
          <ApprovalDock
            dock={dock}
            requests={requests}
            onAnswer={(id, given) => void answer(id, given).catch(onProblem)}
            onDone={() => textarea?.focus()}
          />
        </Suspense>
      )}
      <div data-part="write" data-region role="region" aria-label="Message" tabIndex={-1}>
        <Suspense>
          {session && agents.length > 0 && (
            <AgentsRegion session={session} agents={agents} onProblem={onProblem} />
          )}
          {prompts.length > 0 && <Queue prompts={prompts} onRemove={drop} onClear={clear} />}
        </Suspense>
        <Composer
          draftId={draftId}
          ready={session !== undefined}
          autoFocus={autoFocus}
          running={isRunning}
          waitingRequests={requests.length}
          mode={mode}
          commands={commands}
          onCommand={runCommand}
          queue={prompts}
          onRecall={() => session && lastTurn(sessionStore(session).get())?.prompt}
          textareaRef={setTextarea}
          onMode={(chosen) => void setMode(chosen).catch(onProblem)}
          onSend={send}
          onSteer={steer}
          onStop={abort}
          onTakeBack={drop}
          onJumpToRequest={onJumpToRequest}
        />
      </div>
    </main>
  );
}
