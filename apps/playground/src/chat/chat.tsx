import type { CommandResult } from "@robota/runtime/sessions";
import { type RefObject, Suspense, useState } from "react";
import { ApprovalDock } from "../lazy.ts";
import type { ConversationView } from "../state/conversation.ts";
import { runningTurn } from "../state/conversation.ts";
import type { SessionStore } from "../state/session-store.ts";
import { Composer } from "./composer.tsx";
import { EmptyState } from "./empty-state.tsx";
import { Queue } from "./queue.tsx";
import { StatusAnnouncer } from "./status-announcer.tsx";
import { Transcript } from "./transcript.tsx";

export interface ChatProps {
  /** Present as soon as the session is open. */
  session: SessionStore | undefined;
  /** Resolves to the session, so that a prompt can be sent before it is there. */
  opened: Promise<SessionStore>;
  /** Id of the draft. */
  draftId: string;
  conversation: ConversationView;
  byline: string;
  /** Not on a phone, where focus brings up the keyboard. */
  autoFocus: boolean;
  dock: RefObject<HTMLElement | null>;
  onJumpToRequest: () => void;
  onProblem: (error: unknown) => void;
}

/** The conversation, its requests, and the composer. */
export function Chat(props: ChatProps) {
  const {
    session,
    opened,
    draftId,
    conversation,
    byline,
    autoFocus,
    dock,
    onJumpToRequest,
    onProblem,
  } = props;
  const [textarea, setTextarea] = useState<HTMLTextAreaElement | null>(null);
  const running = runningTurn(conversation) !== undefined;
  const lastTurn = conversation.timeline.findLast((entry) => entry.kind === "turn");

  async function send(text: string) {
    await (await opened).send(text);
  }

  function start(commands: string, title: string) {
    // The title comes first, because the list of sessions shows how a session began.
    session?.send(commands, `${title}\n\n${commands}`).catch(onProblem);
  }

  async function runCommand(name: string, args: string): Promise<CommandResult> {
    const result = await session?.runCommand(name, args);
    return result ?? { success: false, message: `There is no command /${name}.` };
  }

  return (
    <main data-part="chat">
      <StatusAnnouncer conversation={conversation} />
      <Transcript
        conversation={conversation}
        byline={byline}
        empty={session?.isNew && <EmptyState onStart={start} />}
      />
      {session && conversation.requests.length > 0 && (
        <Suspense>
          <ApprovalDock
            dock={dock}
            requests={conversation.requests}
            onAnswer={(id, answer) => void session.answer(id, answer).catch(onProblem)}
            onDone={() => textarea?.focus()}
          />
        </Suspense>
      )}
      <div data-part="write" data-region role="region" aria-label="Message" tabIndex={-1}>
        <Queue
          prompts={conversation.queue}
          onRemove={(index) => session?.removeQueued(index)}
          onClear={() => session?.clearQueue()}
        />
        <Composer
          draftId={draftId}
          ready={session !== undefined}
          autoFocus={autoFocus}
          running={running}
          waitingRequests={conversation.requests.length}
          mode={conversation.mode}
          commands={session?.commands ?? []}
          onCommand={runCommand}
          queue={conversation.queue}
          lastPrompt={lastTurn?.kind === "turn" ? lastTurn.prompt : ""}
          textareaRef={setTextarea}
          onMode={(mode) => void session?.setMode(mode).catch(onProblem)}
          onSend={send}
          onSteer={async (text) => session?.steer(text)}
          onStop={() => session?.stop()}
          onTakeBack={() => session?.removeQueued(conversation.queue.length - 1)}
          onJumpToRequest={onJumpToRequest}
        />
      </div>
    </main>
  );
}
