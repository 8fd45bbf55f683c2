import { StorageError } from "@robota/runtime";
import type { Attachment, CommandResult } from "@robota/runtime/sessions";
import { useEffect, useState } from "react";
import { readDraft, writeDraft } from "../../state/preferences.ts";
import { usePage } from "../../state/page-context.ts";
import { composed } from "./compose.ts";
import { useAttachments } from "../attachments/use-attachments.ts";

export interface DraftOptions {
  draftId: string;
  isRemote: boolean;
  /** Runs `/name arguments`; resolves to `null` for any other text. */
  onCommand: (text: string) => Promise<CommandResult | null>;
  /** Called when a suggestion has put a text into the box. */
  onComposed: () => void;
}

/** The message that is being written, kept over other sessions, its text also over reloads, and the outcome of sending it. */
export function useDraft({ draftId, isRemote, onCommand, onComposed }: DraftOptions) {
  const page = usePage();
  const [text, setText] = useState(() => readDraft(draftId));
  const [problem, setProblem] = useState("");
  const [isFull, setIsFull] = useState(false);
  const [result, setResult] = useState<CommandResult>();
  const files = useAttachments({ draftId, isRemote, onProblem: setProblem });
  const { attachments, beingRead, setAttachments } = files;
  const hasFiles = attachments.length + beingRead.length > 0;

  useEffect(() => writeDraft(draftId, text), [draftId, text]);
  useEffect(
    () =>
      composed.subscribe(() => {
        const { text: given = "", attachments: files = [] } = composed.get() ?? {};
        setText(given);
        setAttachments((now) => [...files, ...now]);
        onComposed();
      }),
    [onComposed, setAttachments],
  );

  async function hand(to: (prompt: string, attachments: readonly Attachment[]) => Promise<void>) {
    const prompt = text.trim();
    if (!prompt && !hasFiles) return;
    // Files handed over before the message is sent go with it, also those that are still being read.
    const reading = files.whenRead();
    let sent: readonly Attachment[] = [];
    setText("");
    setProblem("");
    setIsFull(false);
    setResult(undefined);
    try {
      const outcome = await onCommand(prompt);
      if (outcome) {
        // The conversation shows the turn of a command.
        if (outcome.data?.["turnId"] === undefined && outcome.message) setResult(outcome);
        return;
      }
      const refused = await reading;
      if (refused) throw new Error(refused);
      sent = files.take();
      if (prompt || sent.length > 0) await to(prompt, sent);
    } catch (error) {
      // Text typed meanwhile is kept behind the unsent prompt. The composer may be gone with its session.
      setText((typed) => [prompt, typed].filter(Boolean).join("\n"));
      setAttachments((now) => [...sent, ...now]);
      writeDraft(draftId, prompt);
      setProblem(page.wordsOf(error));
      setIsFull(error instanceof StorageError && error.code === "FULL");
    }
  }

  return { text, setText, hand, problem, isFull, result, setResult, files, hasFiles };
}
