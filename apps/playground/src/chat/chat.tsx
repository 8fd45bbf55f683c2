import {
  type UseCommands,
  useBackgroundAgents,
  useCommands,
  usePermissionRequests,
  useQueue,
  useReadable,
  useSession,
} from "@robota/react";
import { lastTurn, parseCommand, sessionStore } from "@robota/react/store";
import type { ClientSession, CommandResult } from "@robota/runtime/sessions";
import { useCallback, useState } from "react";
import { jumpToRequest } from "../layout/view.ts";
import { AgentsRegion, ApprovalDock, MovedBanner, RemoteEmpty, Waiting } from "../lazy.ts";
import { useSending } from "../prompt/use-sending.ts";
import { connectionOf } from "../remote/connection-state.ts";
import { useCurrentSession, usePage } from "../state/page-context.ts";
import { draftOf } from "../state/page-state.ts";
import { RegionBoundary } from "../ui/region-boundary.tsx";
import { PHONE, useMedia } from "../ui/use-media.ts";
import { isOfPage } from "./commands/page-commands.ts";
import { usePageCommands } from "./commands/use-page-commands.ts";
import { Composer } from "./composer/composer.tsx";
import type { SteeringText } from "./queue/steering-texts.ts";
import { EmptyState } from "./start/empty-state.tsx";
import { StatusAnnouncer } from "./status-announcer.tsx";
import { Transcript } from "./transcript.tsx";
import { type Cards, useCards } from "./start/use-cards.ts";

export interface ChatProps {
  /** Resolves to the session, so that a prompt can be sent before it is there. */
  opened: Promise<ClientSession>;
}

/** The conversation, its requests, and the composer. */
export function Chat({ opened }: ChatProps) {
  const page = usePage();
  const { phase, session, local, remote } = useCurrentSession();
  const phone = useMedia(PHONE);
  const onProblem = (error: unknown) => page.reportProblem(error);
  const [textarea, setTextarea] = useState<HTMLTextAreaElement | null>(null);
  const { sent, underWay, send } = useSending(opened);
  const { isRunning, isSummarising, mode, setMode, steer, abort } = useSession(session);
  const { told, setTold, tell } = useTold(isRunning ? session : undefined, steer);
  const { requests, answer } = usePermissionRequests(session);
  const queue = useQueue(session);
  const agents = useBackgroundAgents(session);
  const cards = useCards(opened);
  // A new session is shown before it is open.
  const server = "server" in phase ? phase.server : undefined;
  const commands = usePageCommands(useCommands(session), session, server !== undefined);
  const isFresh = phase.kind === "opening" ? phase.sessionId === undefined : local?.isEmpty;
  const movedTo = (remote ?? local)?.handedOverTo;
  const late = server ? underWay : [];
  const isLost = useReadable(connectionOf(remote)) === "lost";

  const focusBox = useCallback(() => textarea?.focus(), [textarea]);
  const runCommand = useCommandRunner(opened, commands);

  return (
    <main data-part="chat">
      <StatusAnnouncer session={session} />
      <Transcript
        session={session}
        preview={phase.kind === "opening" ? phase.preview : undefined}
        sent={sent}
        onAgain={cards.again}
        empty={<Empty server={server} isFresh={isFresh} cards={cards} />}
      />
      {session && requests.length > 0 && (
        <RegionBoundary name="The request for approval">
          <ApprovalDock
            {...{ session, requests }}
            onAnswer={(id, given) => void answer(id, given).catch(onProblem)}
            onDone={() => textarea?.focus()}
          />
        </RegionBoundary>
      )}
      <div data-part="write" data-region role="region" aria-label="Message" tabIndex={-1}>
        <RegionBoundary name="The queue">
          {local && agents.length > 0 && (
            <AgentsRegion session={local} agents={agents} onProblem={onProblem} />
          )}
          {(isLost || told.length + queue.prompts.length + late.length > 0) && (
            <Waiting {...{ session, server, isLost, late, told, setTold, queue, onProblem }} />
          )}
        </RegionBoundary>
        {movedTo ? (
          <RegionBoundary name="The notice">
            <MovedBanner to={movedTo} />
          </RegionBoundary>
        ) : (
          <Composer
            draftId={draftOf(phase)}
            session={session}
            autoFocus={!phone}
            running={isRunning || isSummarising}
            waitingRequests={requests.length}
            mode={mode}
            commands={commands}
            isRemote={session !== undefined && !local}
            onCommand={runCommand}
            queue={queue.prompts}
            onRecall={() => session && lastTurn(sessionStore(session).get())?.prompt}
            textareaRef={setTextarea}
            onMode={(chosen) => void setMode(chosen).catch(onProblem)}
            onSend={send}
            onSteer={tell}
            onStop={() => abort({ keepQueue: true })}
            onTakeBack={({ id }) => void queue.remove(id).catch(onProblem)}
            onJumpToRequest={jumpToRequest}
            onComposed={focusBox}
          />
        )}
      </div>
    </main>
  );
}

/** Keeps what a running turn is told, for those who show it. */
function useTold(
  session: SteeringText["session"] | undefined,
  steer: (text: string) => Promise<void>,
) {
  const [told, setTold] = useState<readonly SteeringText[]>([]);
  const tell = (text: string): Promise<void> => {
    if (session) setTold([...told, { session, text }]);
    return steer(text);
  };
  return { told, setTold, tell };
}

/** Runs what begins with a slash, and does what it leaves to the page; resolves to `null` for any other text. */
function useCommandRunner(opened: Promise<ClientSession>, commands: UseCommands) {
  const page = usePage();
  const { phase, session } = useCurrentSession();
  const server = "server" in phase ? phase.server : undefined;

  /** Runs what was typed before the session was open. */
  async function runEarly(text: string): Promise<CommandResult | null> {
    const command = parseCommand(text);
    if (!command) return null;
    const early = await opened;
    if (isOfPage(command.name)) {
      const { answerOnPage } = await import("./commands/answer-on-page.ts");
      const answer = await answerOnPage(command, early, page);
      if (answer) return answer;
    }
    return early.executeCommand(command.name, command.args);
  }

  return async (text: string): Promise<CommandResult | null> => {
    const result = session ? await commands.run(text) : await runEarly(text);
    if (!result?.data) return result;
    const { applyResult } = await import("./apply-result.ts");
    return applyResult(result, (id) => void (server ? page.openRemote(server, id) : page.open(id)));
  };
}

interface EmptyProps {
  /** Where the session runs; in this browser when missing. */
  server: string | undefined;
  isFresh: boolean | undefined;
  cards: Cards;
}

/** An empty conversation, and how to begin it. */
function Empty({ server, isFresh, cards }: EmptyProps) {
  if (!server) return isFresh && <EmptyState onStart={cards.start} onReset={cards.reset} />;
  return (
    <RegionBoundary name="The server">
      <RemoteEmpty server={server} />
    </RegionBoundary>
  );
}
