import type { SlashCommand } from "@robota/react/store";
import "./command-menu.css";

export interface CommandMenuProps {
  id: string;
  commands: readonly SlashCommand[];
  /** The one that Enter takes. */
  active: number;
  onChoose: (command: SlashCommand) => void;
}

/** The options of the message box while a command is typed. The focus stays in the box. */
export function CommandMenu({ id, commands, active, onChoose }: CommandMenuProps) {
  return (
    <ul id={id} role="listbox" aria-label="Commands" data-part="command-menu">
      {commands.map((command, index) => (
        <li
          key={command.name}
          id={`${id}-${command.name}`}
          role="option"
          aria-selected={index === active}
          // Runs before the composer loses the focus.
          onPointerDown={(event) => {
            event.preventDefault();
            onChoose(command);
          }}
        >
          <code>/{command.name}</code>
          <span>{command.description}</span>
        </li>
      ))}
    </ul>
  );
}
