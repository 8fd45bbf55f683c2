import { useState } from "react";
import "./rename-form.css";

export interface RenameFormProps {
  label: string;
  name: string;
  /** Called with the new name, or without one when it stays. */
  onDone: (name: string | undefined) => void;
}

/** An editable name: Enter applies it, Escape cancels. */
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
        dir="auto"
        value={text}
        maxLength={120}
        autoFocus
        onFocus={(event) => event.target.select()}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => onDone(text.trim() === name ? undefined : text.trim() || undefined)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          // Only ends the renaming, not the turn or the surrounding dialog.
          event.preventDefault();
          event.stopPropagation();
          onDone(undefined);
        }}
      />
    </form>
  );
}
