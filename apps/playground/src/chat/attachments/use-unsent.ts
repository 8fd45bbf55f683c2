import type { Attachment } from "@robota/runtime/sessions";
import { useCallback, useEffect, useRef, useState } from "react";

type Attachments = readonly Attachment[];

/** Attachments of drafts by the draft's id, also while another session is shown. They are too large to outlive the page. */
const unsent = new Map<string, Attachments>();

function keepUnsent(draftId: string, attachments: Attachments): void {
  if (attachments.length > 0) unsent.set(draftId, attachments);
  else unsent.delete(draftId);
}

/** The attachments of a draft. */
export function useUnsent(draftId: string) {
  const [attachments, show] = useState<Attachments>(() => unsent.get(draftId) ?? []);
  /** Those that the message has by now, for work that goes on after a wait. */
  const current = useRef<Attachments>(attachments);
  /** The draft as it is called by now: a new session gets an id of its own with its first message. */
  const draft = useRef(draftId);

  useEffect(() => {
    if (draft.current === draftId) return;
    unsent.delete(draft.current);
    draft.current = draftId;
    keepUnsent(draftId, current.current);
  }, [draftId]);

  const setAttachments = useCallback((change: (before: Attachments) => Attachments) => {
    current.current = change(current.current);
    keepUnsent(draft.current, current.current);
    show(current.current);
  }, []);

  return { attachments, current, setAttachments };
}
