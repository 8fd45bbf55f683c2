import type { PermissionMode } from "@robota/runtime";

const modes: readonly { id: PermissionMode; label: string; meaning: string }[] = [
  { id: "plan", label: "Plan", meaning: "Read-only" },
  { id: "default", label: "Ask first", meaning: "Asks before changes, commands and the network" },
  { id: "acceptEdits", label: "Accept edits", meaning: "Edits files; asks before commands" },
  { id: "bypassPermissions", label: "Allow all", meaning: "Runs everything that no rule denies" },
];

export interface ModeSelectProps {
  mode: PermissionMode;
  disabled: boolean;
  onMode: (mode: PermissionMode) => void;
}

/** Selects the permission mode. */
export function ModeSelect({ mode, disabled, onMode }: ModeSelectProps) {
  return (
    <label data-part="mode" title={modes.find(({ id }) => id === mode)?.meaning}>
      <span data-part="visually-hidden">Permission mode</span>
      <select
        value={mode}
        data-mode={mode}
        disabled={disabled}
        onChange={(event) => onMode(event.target.value as PermissionMode)}
      >
        {modes.map(({ id, label, meaning }) => (
          <option key={id} value={id} title={meaning}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
