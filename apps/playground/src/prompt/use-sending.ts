import { lastTurn, sessionStore } from "@robota/react/store";
import type { Attachment, ClientSession } from "@robota/runtime/sessions";
import { useState } from "react";
import { composeText } from "../chat/composer/compose.ts";

/** A message that its session, which may be on a server, has not got yet. */
export interface MessageUnderWay {
  readonly id: string;
  readonly text: string;
  /** Puts it back into the message box, and sends it no more. */
  readonly takeBack: () => void;
}

/** Sends messages, and knows the one whose turn has not ended, and those that have not arrived. */
export function useSending(opened: Promise<ClientSession>) {
  const [sent, setSent] = useState("");
  const [underWay, setUnderWay] = useState<readonly MessageUnderWay[]>([]);

  async function send(text: string, attachments: readonly Attachment[]): Promise<void> {
    const given = attachments.length > 0 ? attachments : undefined;
    const withdrawn = new AbortController();
    const id = crypto.randomUUID();
    const takeBack = (): void => {
      withdrawn.abort();
      composeText(text, given);
    };
    const drop = (): void => setUnderWay((all) => all.filter((one) => one.id !== id));
    setUnderWay((all) => [...all, { id, text, takeBack }]);
    setSent(text);
    let stopWatching: (() => void) | undefined;
    try {
      const session = await opened;
      const store = sessionStore(session);
      const last = () => lastTurn(store.get());
      const before = last()?.id;
      const waiting = store.get().queue.length;
      // Prompts arrive in order, and a broken connection tells nothing.
      stopWatching = store.subscribe(() => {
        if (last()?.id !== before || store.get().queue.length > waiting) drop();
      });
      const isQueued = session.isExecuting();
      const { signal } = withdrawn;
      const { state } = await session.submit(text, { attachments: given, signal });
      // It was stopped before its turn had begun, so nothing else has the text. Those that wait are removed on purpose.
      if (!isQueued && !signal.aborted && state === "interrupted" && last()?.id === before)
        composeText(text, given);
    } finally {
      stopWatching?.();
      drop();
      setSent((sending) => (sending === text ? "" : sending));
    }
  }

  return { sent, underWay, send };
}
