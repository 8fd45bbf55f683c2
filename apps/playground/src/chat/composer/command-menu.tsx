import { useLayoutEffect, useRef } from "react";
import type { Choice } from "./use-offer.ts";
import "./command-menu.css";

export interface CommandMenuProps {
  id: string;
  /** Its name, after what it offers. */
  title: string;
  choices: readonly Choice[];
  /** The one that Enter takes. */
  active: number;
  onChoose: (choice: Choice) => void;
}

/** The options of the message box while a command or a mention is typed. The focus stays in the box. */
export function CommandMenu({ id, title, choices, active, onChoose }: CommandMenuProps) {
  const selected = useRef<HTMLLIElement>(null);

  // The arrow keys lead further than the menu is high, and rows grow when hints and sources arrive.
  useLayoutEffect(() => {
    selected.current?.scrollIntoView({ block: "nearest" });
  }, [active, choices]);

  return (
    <ul id={id} role="listbox" aria-label={title} data-part="command-menu">
      {choices.map((choice, index) => (
        <li
          key={choice.value}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          ref={index === active ? selected : undefined}
          // Runs before the composer loses the focus.
          onPointerDown={(event) => {
            event.preventDefault();
            onChoose(choice);
          }}
        >
          <code>{choice.value}</code>
          {choice.hint && <span data-part="command-hint">{choice.hint}</span>}
          <span>{choice.description}</span>
          {choice.source && <small>{choice.source}</small>}
        </li>
      ))}
    </ul>
  );
}
