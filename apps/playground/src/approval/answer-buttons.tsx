import { Button } from "../ui/button.tsx";

export interface AnswerButtonsProps {
  note: string;
  onNote: (note: string) => void;
  /** True while presses are still ignored. */
  guarded: boolean;
  /** True when the person has changed the command. */
  isChanged: boolean;
  onAllow: () => void;
  onAlways: () => void;
  onDeny: () => void;
}

/** A note for the model, and the answers that it goes with. */
export function AnswerButtons(props: AnswerButtonsProps) {
  const { note, guarded, isChanged } = props;
  // Guarded buttons look as always: a moment later they answer.
  const guard = { disabled: guarded, "data-guarded": guarded || undefined };
  return (
    <footer>
      <textarea
        aria-label="Note for the model, sent with either answer"
        placeholder="Note for the model (optional)"
        title="Ctrl+Enter or ⌘ Enter denies with this note"
        dir="auto"
        rows={1}
        value={note}
        onChange={(event) => props.onNote(event.target.value)}
      />
      <div data-part="approval-actions">
        <Button look="primary" hint="1" {...guard} onClick={props.onAllow}>
          {isChanged ? "Allow as edited" : "Allow once"}
        </Button>
        <Button hint="2" {...guard} onClick={props.onAlways}>
          Always…
        </Button>
        <Button look="danger" hint="3" {...guard} onClick={props.onDeny}>
          {note.trim() ? "Deny with reason" : "Deny"}
        </Button>
      </div>
    </footer>
  );
}
