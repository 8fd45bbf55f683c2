import type { PermissionMode } from "@robota/runtime";

const modes: Readonly<Record<PermissionMode, { label: string; meaning: string }>> = {
  plan: { label: "Plan", meaning: "Read-only" },
  default: { label: "Ask first", meaning: "Asks before changes, commands and the network" },
  acceptEdits: { label: "Accept edits", meaning: "Edits files; asks before commands" },
  bypassPermissions: { label: "Allow all", meaning: "Runs everything that no rule denies" },
};

export interface ModeSelectProps {
  mode: PermissionMode;
  disabled: boolean;
  onMode: (mode: PermissionMode) => void;
}

/** Selects the permission mode. */
export function ModeSelect({ mode, disabled, onMode }: ModeSelectProps) {
  return (
    <label data-part="mode" title={modes[mode].meaning}>
      <span data-part="visually-hidden">Permission mode</span>
      <select
        value={mode}
        data-mode={mode}
        disabled={disabled}
        onChange={(event) => onMode(event.target.value as PermissionMode)}
      >
        {Object.entries(modes).map(([id, { label, meaning }]) => (
          <option key={id} value={id} title={meaning}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
