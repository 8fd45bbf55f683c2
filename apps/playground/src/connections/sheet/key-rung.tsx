import { useState } from "react";
import { useCurrentModel } from "../use-connect.ts";
import { connectionOf } from "../connections.ts";
import { ServiceForm } from "./service-form.tsx";
import { type KeyServiceId, services } from "../services.ts";

const SERVICES = ["anthropic", "openai", "openRouter", "gemini", "ark", "custom"] as const;

/** Services that a person has an account with, and any server that speaks OpenAI's API. */
export function KeyRung({ onDone }: { onDone: () => void }) {
  const current = connectionOf(useCurrentModel()?.provider ?? "")?.service;
  const [service, setService] = useState<KeyServiceId>(
    SERVICES.find((id) => id === current) ?? "anthropic",
  );
  return (
    <>
      <label data-part="providers-field">
        <span>Service</span>
        <select
          value={service}
          onChange={(event) => setService(event.target.value as KeyServiceId)}
        >
          {SERVICES.map((id) => (
            <option key={id} value={id}>
              {services[id].title}
            </option>
          ))}
        </select>
      </label>
      <ServiceForm key={service} service={service} onDone={onDone} />
    </>
  );
}
