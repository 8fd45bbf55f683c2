import type { UseQueue } from "@robota/react";
import type { SessionConnection } from "@robota/react/store";
import type { MessageUnderWay } from "../../prompt/use-sending.ts";
import { ConnectionNotice } from "../../remote/connection-notice.tsx";
import { Queue } from "./queue.tsx";
import { SteeringNotes } from "./steering-notes.tsx";
import type { SteeringText } from "./steering-texts.ts";

export interface WaitingProps {
  /** Absent until it is open. */
  session: SessionConnection | undefined;
  /** The server that it runs on; in this browser when missing. */
  server: string | undefined;
  /** The connection to the server is known to be broken. */
  isLost: boolean;
  /** Messages that have not reached the server. */
  late: readonly MessageUnderWay[];
  /** Messages to running turns, in all sessions of the page. */
  told: readonly SteeringText[];
  setTold: (change: (told: readonly SteeringText[]) => readonly SteeringText[]) => void;
  queue: UseQueue;
  onProblem: (error: unknown) => void;
}

/** The messages that wait: for a connection, for the running turn's next step, or for its end. */
export function Waiting(props: WaitingProps) {
  const { session, server, isLost, late, told, setTold, queue, onProblem } = props;
  return (
    <>
      {server && (isLost || late.length > 0) && (
        <ConnectionNotice server={server} isLost={isLost} messages={late} />
      )}
      {session && told.length > 0 && (
        <SteeringNotes session={session} given={told} onChange={setTold} />
      )}
      {queue.prompts.length > 0 && <Queue queue={queue} onProblem={onProblem} />}
    </>
  );
}
