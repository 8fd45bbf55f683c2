import type { PermissionMode } from "@robota/runtime";
import type { ReasoningEffort } from "@robota/runtime/providers";
import { useId } from "react";
import { OFFLINE } from "../connections/connection.ts";
import { savedConnections } from "../connections/connections.ts";
import { priceLabel, providerLabel } from "../connections/prices.ts";
import { EFFORTS } from "../connections/session-settings.ts";
import type { SideName, SideSettings } from "./comparison.ts";

const MODES: readonly { id: PermissionMode; label: string }[] = [
  { id: "plan", label: "Plan" },
  { id: "default", label: "Ask first" },
  { id: "acceptEdits", label: "Accept edits" },
  { id: "bypassPermissions", label: "Allow all" },
];

export interface SideFormProps {
  name: SideName;
  settings: SideSettings;
  onChange: (settings: SideSettings) => void;
}

/** The model and settings of one side. */
export function SideForm({ name, settings, onChange }: SideFormProps) {
  const id = useId();
  const { provider, model, mode, effort, instructions } = settings;
  const connections = [OFFLINE, ...savedConnections()];
  const change = (changed: Partial<SideSettings>) => onChange({ ...settings, ...changed });
  return (
    <fieldset data-part="compare-form">
      <legend>{name}</legend>
      <Field id={`${id}-provider`} label="Provider">
        <select
          id={`${id}-provider`}
          value={provider}
          onChange={(event) => {
            const chosen = connections.find((each) => each.provider === event.target.value);
            if (chosen) change({ provider: chosen.provider, model: chosen.model });
          }}
        >
          {connections.map((each) => (
            <option key={each.provider} value={each.provider}>
              {providerLabel(each)}
            </option>
          ))}
        </select>
      </Field>
      {provider !== "offline" && (
        <Field id={`${id}-model`} label="Model">
          <input
            id={`${id}-model`}
            value={model}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => change({ model: event.target.value.trim() })}
          />
        </Field>
      )}
      <Field id={`${id}-mode`} label="Permission mode">
        <select
          id={`${id}-mode`}
          value={mode}
          onChange={(event) => change({ mode: event.target.value as PermissionMode })}
        >
          {MODES.map((each) => (
            <option key={each.id} value={each.id}>
              {each.label}
            </option>
          ))}
        </select>
      </Field>
      <Field id={`${id}-effort`} label="Effort">
        <select
          id={`${id}-effort`}
          value={effort ?? ""}
          onChange={(event) =>
            change({ effort: (event.target.value || undefined) as ReasoningEffort | undefined })
          }
        >
          <option value="">The model's own</option>
          {EFFORTS.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </Field>
      <Field id={`${id}-instructions`} label="Add to the system prompt">
        <textarea
          id={`${id}-instructions`}
          rows={2}
          value={instructions ?? ""}
          onChange={(event) => change({ instructions: event.target.value || undefined })}
        />
      </Field>
      <p data-part="providers-soft">{priceLabel(provider, model)}</p>
    </fieldset>
  );
}

function Field({ id, label, children }: { id: string; label: string; children: React.ReactNode }) {
  return (
    <div data-part="providers-field">
      <label htmlFor={id}>{label}</label>
      {children}
    </div>
  );
}
