import type { TurnView } from "@robota/react/store";
import type { ClientSession } from "@robota/runtime/sessions";
import { type KeyboardEvent, useEffect, useState } from "react";
import { useBusy } from "../inspector/use-busy.ts";
import { useCurrentSession, usePage } from "../state/page-context.ts";
import { Button } from "../ui/button.tsx";
import { ownAttachments, sendAgain } from "./send-again.ts";

export interface PromptEditorProps {
  session: ClientSession;
  turn: TurnView;
  /** The message as changed so far. */
  text: string;
  autoFocus: boolean;
  onText: (text: string) => void;
  onSent: () => void;
  onClose: () => void;
}

/** A message that was sent, to be changed and sent again. */
export function PromptEditor(props: PromptEditorProps) {
  const { session, turn, text, onClose } = props;
  const page = usePage();
  const { remote } = useCurrentSession();
  const { isBusy, problem, run } = useBusy();
  const files = useFilesThatGoBack(turn.id);
  const hasContent = text.trim() !== "" || (ownAttachments(turn) ?? []).length > 0;
  const canSend = hasContent && !isBusy;

  const send = () => {
    if (canSend) run(() => sendAgain(page, session, turn, text.trim()).then(props.onSent));
  };

  function onKeyDown(event: KeyboardEvent) {
    // While an input method composes, its keys belong to it.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") onClose();
    else if (event.key === "Enter" && !event.shiftKey && !event.altKey) send();
    else return;
    event.preventDefault();
  }

  return (
    <form
      data-part="prompt-editor"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        autoFocus={props.autoFocus}
        dir="auto"
        aria-label="Edit the message"
        value={text}
        onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
        onChange={(event) => props.onText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {problem && (
        <p data-part="composer-problem" role="alert">
          {problem}
        </p>
      )}
      <footer>
        <p>{`${filesText(files, remote)}You can return to this version.`}</p>
        <Button look="bare" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" look="primary" disabled={!canSend}>
          Send
        </Button>
      </footer>
    </form>
  );
}

/** Number of files that a rewind to the turn would change; `undefined` until it is known. A server does not tell. */
function useFilesThatGoBack(turnId: string): number | undefined {
  const { local } = useCurrentSession();
  const [count, setCount] = useState<number>();
  useEffect(() => {
    let isCurrent = true;
    local?.previewRewind(turnId).then(
      ({ changes, binary }) => isCurrent && setCount(changes.length + binary.length),
      // Sending fails with the reason.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [local, turnId]);
  return count;
}

function filesText(count: number | undefined, remote: unknown): string {
  if (remote) return "Files on the server go back to before this message. ";
  if (!count) return "";
  const files = count === 1 ? "1 file goes" : `${count} files go`;
  return `${files} back to before this message. `;
}
