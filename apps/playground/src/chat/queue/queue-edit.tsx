import { type KeyboardEvent, useState } from "react";
import { Button } from "../../ui/button.tsx";

export interface QueueEditProps {
  text: string;
  /** Gets the new text, or nothing when it stays as it was. */
  onDone: (text?: string) => void;
}

/** The text of a queued prompt while a person changes it. */
export function QueueEdit({ text, onDone }: QueueEditProps) {
  const [typed, setTyped] = useState(text);
  const save = () => onDone(typed.trim() === "" || typed === text ? undefined : typed);

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") onDone();
    else if (event.key === "Enter" && !event.shiftKey) save();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <form
      data-part="queue-edit"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <textarea
        autoFocus
        aria-label="Queued prompt"
        dir="auto"
        rows={Math.min(6, typed.split("\n").length)}
        value={typed}
        onFocus={({ target }) => target.setSelectionRange(typed.length, typed.length)}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <Button type="submit" look="primary">
        Save
      </Button>
      <Button look="bare" onClick={() => onDone()}>
        Cancel
      </Button>
    </form>
  );
}
