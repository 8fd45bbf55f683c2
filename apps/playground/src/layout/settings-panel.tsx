import { Keyboard, Monitor, Moon, Sun } from "lucide-react";
import { useId } from "react";
import { useReadable } from "@robota/react";
import { announceReplies, type Theme, theme } from "../state/preferences.ts";
import { Button } from "../ui/button.tsx";
import { openDialog } from "./open-dialog.ts";

const themes: readonly { id: Theme; label: string; icon: typeof Sun }[] = [
  { id: "system", label: "System", icon: Monitor },
  { id: "light", label: "Light", icon: Sun },
  { id: "dark", label: "Dark", icon: Moon },
];

export function SettingsPanel() {
  const group = useId();
  const chosen = useReadable(theme);
  const announced = useReadable(announceReplies);
  return (
    <div data-part="settings">
      <fieldset>
        <legend>Theme</legend>
        <div data-part="theme">
          {themes.map(({ id, label, icon: Icon }) => (
            <label key={id}>
              <input
                type="radio"
                name={group}
                checked={chosen === id}
                onChange={() => theme.set(id)}
              />
              <Icon size={14} aria-hidden="true" />
              {label}
            </label>
          ))}
        </div>
      </fieldset>
      <label>
        <input
          type="checkbox"
          checked={announced}
          onChange={(event) => announceReplies.set(event.target.checked)}
        />
        Read out finished replies (screen readers)
      </label>
      <Button icon={<Keyboard size={15} />} onClick={() => openDialog("keyboard-map")}>
        Keyboard shortcuts
      </Button>
    </div>
  );
}
