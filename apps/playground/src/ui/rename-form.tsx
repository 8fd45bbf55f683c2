import { useState } from "react";
import "./rename-form.css";

export interface RenameFormProps {
  label: string;
  name: string;
  /** Called with the new name, or without one when it stays. */
  onDone: (name: string | undefined) => void;
}

/** A name that is being changed: Enter takes it, Escape leaves it. */
export function RenameForm({ label, name, onDone }: RenameFormProps) {
  const [text, setText] = useState(name);
  return (
    <form
      data-part="rename-form"
      onSubmit={(event) => {
        event.preventDefault();
        onDone(text.trim() || undefined);
      }}
    >
      <input
        aria-label={label}
        value={text}
        maxLength={120}
        autoFocus
        onFocus={(event) => event.target.select()}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => onDone(text.trim() === name ? undefined : text.trim() || undefined)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          // Only the renaming ends, not the turn or the window around it.
          event.preventDefault();
          event.stopPropagation();
          onDone(undefined);
        }}
      />
    </form>
  );
}
