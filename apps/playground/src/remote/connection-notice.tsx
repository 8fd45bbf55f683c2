import { Clock, CloudOff, X } from "lucide-react";
import { useEffect, useState } from "react";
import type { MessageUnderWay } from "../prompt/use-sending.ts";
import { announce } from "../ui/announcer.tsx";
import { IconButton } from "../ui/button.tsx";
import { serverName } from "./server-name.ts";
import "../chat/queue/queue.css";

/** Time that a message may take to a server before a person hears of it. In milliseconds. */
const PATIENCE_MS = 2000;

export interface ConnectionNoticeProps {
  server: string;
  /** The connection is known to be broken. Without a network, that may take the browser a while. */
  isLost: boolean;
  /** Messages that have not reached it. */
  messages: readonly MessageUnderWay[];
}

/** Says that the session's server is out of reach, and shows the messages that wait for it. */
export function ConnectionNotice({ server, isLost, messages }: ConnectionNoticeProps) {
  const name = serverName(server);
  const isLate = useLate(messages[0]?.id);
  const words = isLost
    ? `Connection to ${name} lost. Reconnecting…`
    : isLate && `No answer from ${name}. Trying again…`;
  useEffect(() => {
    if (words) announce(words);
  }, [words]);
  if (!words) return null;
  return (
    <section data-part="queue" aria-label="Connection">
      <header>
        <CloudOff size={14} aria-hidden="true" />
        <h2>{words}</h2>
      </header>
      {messages.length > 0 && (
        <ol aria-label="Messages that wait for the connection">
          {messages.map(({ id, text, takeBack }) => (
            <li key={id}>
              <Clock size={14} aria-hidden="true" />
              <span title={text}>{text || "Attachments"}</span>
              <IconButton
                label={`Take back: ${text || "Attachments"}`}
                icon={<X size={14} />}
                onClick={takeBack}
              />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** True once this message has been under way for long. */
function useLate(id: string | undefined): boolean {
  const [late, setLate] = useState<string>();
  useEffect(() => {
    if (id === undefined) return;
    const timer = setTimeout(() => setLate(id), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [id]);
  return id !== undefined && late === id;
}
