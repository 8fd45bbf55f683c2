import { useState } from "react";
import { savedConnections } from "../connections.ts";
import { ServiceChoice } from "./service-choice.tsx";
import { ServiceForm } from "./service-form.tsx";
import type { LocalServiceId } from "../services.ts";

const SERVERS = ["ollama", "lmStudio", "llamaCpp"] as const satisfies readonly LocalServiceId[];

/** Models on a person's own machine. Nothing is called before a click. */
export function LocalRung({ onDone }: { onDone: () => void }) {
  const saved = savedConnections().find(({ service }) => SERVERS.some((id) => id === service));
  const [server, setServer] = useState<LocalServiceId>(
    (saved?.service as LocalServiceId | undefined) ?? "ollama",
  );
  return (
    <>
      <p data-part="providers-soft">
        With a server on this machine, prompts and files stay here. Your browser may ask whether
        this page may reach programs on it: allow it.
      </p>
      <ServiceChoice label="Server" options={SERVERS} value={server} onChange={setServer} />
      <ServiceForm key={server} service={server} onDone={onDone} />
    </>
  );
}
