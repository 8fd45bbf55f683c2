import type { ExecutionResult, PermissionMode } from "@robota/runtime";
import type { AbortOptions, Attachment } from "@robota/runtime/sessions";
import { useMemo } from "react";
import { refuse } from "./refuse.ts";
import { viewOf } from "./store-of.ts";
import type { SessionConnection } from "./store/connection.ts";
import { createCell, type Readable } from "./store/readable.ts";
import { sessionStore } from "./store/session-store.ts";
import { runningTurn, type SessionView } from "./store/session-view.ts";
import { useReadable, useSelected } from "./use-readable.ts";

const noFailure: Readable<Error | undefined> = createCell(undefined);

/** The state of a session beside its transcript. */
export interface UseSessionState {
  /** Empty until the session has a name. */
  name: string;
  mode: PermissionMode;
  provider: string;
  model: string;
  /** True while a turn is open, also while it waits for an answer. */
  isRunning: boolean;
  /** True while a model summarises the earlier messages, also before a turn has begun. */
  isSummarising: boolean;
}

/** The actions of a person on a session. The functions are stable: they are safe in dependency lists. */
export interface SessionActions {
  /**
   * Sends a prompt; resolves at the end of its turn.
   * @param displayText text that the transcript shows instead of `text`
   * @param attachments images and files behind the text
   * @throws {SessionError} `QUEUE_FULL`
   */
  submit: (
    text: string,
    displayText?: string,
    attachments?: readonly Attachment[],
  ) => Promise<ExecutionResult>;
  /** Gives the running turn a message for its next step. */
  steer: (text: string) => Promise<void>;
  /** Stops the turn, and clears the queue or keeps it paused. Text so far is kept. */
  abort: (options?: AbortOptions) => void;
  setMode: (mode: PermissionMode) => Promise<void>;
  setName: (name: string) => Promise<void>;
}

export interface UseSession extends UseSessionState, SessionActions {
  /** The error that ended the session's events, such as `SESSION_BUSY`. */
  failure: Error | undefined;
}

/**
 * The state of a session and the actions on it. Does not draw again while text streams.
 * @param session nothing while the session is not open yet; actions are refused then with `NOT_FOUND`
 * @example
 * function Composer({ session }: { session: InteractiveSession }) {
 *   const { submit, abort, isRunning } = useSession(session);
 *   const send = (form: FormData) => void submit(String(form.get("prompt")));
 *   return (
 *     <form action={send}>
 *       <input name="prompt" />
 *       {isRunning && <button type="button" onClick={() => abort()}>Stop</button>}
 *     </form>
 *   );
 * }
 */
export function useSession(session: SessionConnection | undefined): UseSession {
  const state = useSelected(viewOf(session), stateOf);
  const failure = useReadable(session ? sessionStore(session).failure : noFailure);
  const actions = useMemo(() => actionsOf(session), [session]);
  return { ...state, ...actions, failure };
}

function stateOf(view: SessionView): UseSessionState {
  const { name, mode, provider, model, isSummarising } = view;
  const isRunning = runningTurn(view) !== undefined;
  return { name, mode, provider, model, isRunning, isSummarising };
}

function actionsOf(session: SessionConnection | undefined): SessionActions {
  return {
    submit: async (text, displayText, attachments) =>
      session?.submit(text, { displayInput: displayText, attachments }) ?? refuse(),
    steer: async (text) => session?.steer(text) ?? refuse(),
    abort: (options) => session?.abort(options),
    setMode: async (mode) => session?.setPermissionMode(mode) ?? refuse(),
    setName: async (name) => session?.setName(name) ?? refuse(),
  };
}
