import { lastTurn, sessionStore } from "@robota/react/store";
import type { Attachment, ClientSession } from "@robota/runtime/sessions";
import { useState } from "react";
import { composeText } from "../chat/composer/compose.ts";

/** Sends messages, and knows the one whose turn has not ended. */
export function useSending(opened: Promise<ClientSession>) {
  const [sent, setSent] = useState("");

  async function send(text: string, attachments: readonly Attachment[]): Promise<void> {
    const given = attachments.length > 0 ? attachments : undefined;
    setSent(text);
    try {
      const session = await opened;
      const last = () => lastTurn(sessionStore(session).get())?.id;
      const before = last();
      const isQueued = session.isExecuting();
      const { state } = await session.submit(text, { attachments: given });
      // It was stopped before its turn had begun, so nothing else has the text. Those that wait are removed on purpose.
      if (!isQueued && state === "interrupted" && last() === before) composeText(text, given);
    } finally {
      setSent((sending) => (sending === text ? "" : sending));
    }
  }

  return { sent, send };
}
