import { type ReactNode, useId, useState } from "react";
import "./popover.css";

export interface PopoverProps {
  /** The accessible name of the button and of its popover. */
  label: string;
  /** The content of the button. */
  button: ReactNode;
  look?: "icon" | "chip" | "meter";
  /** Rendered at the first opening. */
  children: ReactNode;
}

const parts = { icon: "icon-button", chip: "chip", meter: "meter-button" };

/** A button with a small window under it. The platform closes it on Escape and on a press elsewhere. */
export function Popover({ label, button, look = "icon", children }: PopoverProps) {
  const id = useId();
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <>
      <button
        type="button"
        data-part={parts[look]}
        aria-label={label}
        title={look === "icon" ? label : undefined}
        popoverTarget={id}
      >
        {button}
      </button>
      <div
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        data-part="popover"
        onBeforeToggle={() => setWasOpened(true)}
      >
        {wasOpened && children}
      </div>
    </>
  );
}
