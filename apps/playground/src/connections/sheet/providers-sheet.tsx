import { useReadable } from "@robota/react";
import { Cloud, Columns2, Cpu, KeyRound, ScrollText, Server } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { openDialog } from "../../layout/open-dialog.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { BrowserRung, useBrowserModel } from "./browser-rung.tsx";
import { connectionsChanged, savedConnections } from "../connections.ts";
import { EdgeRung } from "./edge-rung.tsx";
import { KeyRung } from "./key-rung.tsx";
import { keyRing } from "../keys/key-ring.ts";
import { modelLabel } from "../labels.ts";
import { priceLabel } from "../prices.ts";
import { LocalRung } from "./local-rung.tsx";
import { OfflineRung } from "./offline-rung.tsx";
import { isServiceId, type ServiceId } from "../service-titles.ts";
import { services } from "../services.ts";
import { UnlockForm } from "./unlock-form.tsx";
import { useCurrentModel } from "../use-connect.ts";
import "./providers.css";

type RungId = "offline" | "browser" | "local" | "key" | "edge";

/** The ladder from the guide to real models, each step with what it needs. */
export function ProvidersSheet({ onClose }: { onClose: () => void }) {
  useReadable(keyRing.changed);
  useReadable(connectionsChanged);
  const current = useCurrentModel();
  const browserModel = useBrowserModel();
  const here = rungOf(current?.provider ?? "offline");
  const [open, setOpen] = useState<RungId>(here);
  useEffect(() => void keyRing.look(), []);
  const rung = (id: RungId, icon: ReactNode, title: string, note: string, content: ReactNode) => (
    <Rung
      key={id}
      icon={icon}
      title={title}
      note={note}
      isCurrent={id === here}
      isOpen={open === id}
      onOpen={() => setOpen(id)}
    >
      {content}
    </Rung>
  );
  return (
    <Dialog title="Choose a model" onClose={onClose}>
      <div data-part="providers">
        {current && <Now provider={current.provider} model={current.model} />}
        {keyRing.isLocked && <UnlockForm />}
        <ol data-part="providers-ladder">
          {rung(
            "offline",
            <ScrollText size={17} />,
            "Offline guide",
            "A script. No key, nothing sent.",
            <OfflineRung onDone={onClose} />,
          )}
          {browserModel &&
            rung(
              "browser",
              <Cpu size={17} />,
              "Your browser's own model",
              "Experimental. Small, runs on this device.",
              <BrowserRung found={browserModel} onDone={onClose} />,
            )}
          {rung(
            "local",
            <Server size={17} />,
            "A local server",
            "Ollama, LM Studio or llama.cpp. No key.",
            <LocalRung onDone={onClose} />,
          )}
          {rung(
            "key",
            <KeyRound size={17} />,
            "Your own key",
            "Anthropic, OpenAI or any compatible service.",
            <KeyRung onDone={onClose} />,
          )}
          {rung(
            "edge",
            <Cloud size={17} />,
            "An edge endpoint",
            "Your own worker, which holds the key.",
            <EdgeRung onDone={onClose} />,
          )}
        </ol>
        <div data-part="providers-actions">
          <Button look="bare" icon={<Columns2 size={15} />} onClick={() => openDialog("compare")}>
            Compare two models…
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function Now({ provider, model }: { provider: string; model: string }) {
  const { name, note } = modelLabel(provider, model);
  return (
    <p data-part="providers-now">
      <span>
        This session uses <strong>{name}</strong> <span data-part="providers-soft">{note}</span>
      </span>
      <span data-part="providers-soft">{priceLabel(provider, model)}</span>
    </p>
  );
}

interface RungProps {
  icon: ReactNode;
  title: string;
  note: string;
  isCurrent: boolean;
  isOpen: boolean;
  onOpen: () => void;
  children: ReactNode;
}

function Rung({ icon, title, note, isCurrent, isOpen, onOpen, children }: RungProps) {
  return (
    <li data-part="providers-rung" data-open={isOpen || undefined}>
      <h3>
        <button type="button" aria-expanded={isOpen} onClick={onOpen}>
          <span aria-hidden="true">{icon}</span>
          <span>
            <span data-part="providers-title">{title}</span>
            <span data-part="providers-soft">{note}</span>
          </span>
          {isCurrent && <span data-part="providers-badge">In use</span>}
        </button>
      </h3>
      {isOpen && (
        <div data-part="providers-rung-body" role="group" aria-label={title}>
          {children}
        </div>
      )}
    </li>
  );
}

const LOCAL: readonly ServiceId[] = ["ollama", "lmStudio", "llamaCpp"];

function rungOf(provider: string): RungId {
  const saved = savedConnections().find((each) => each.provider === provider)?.service;
  const service = saved ?? (isServiceId(provider) ? provider : "custom");
  if (service === "offline") return "offline";
  if (service === "prompt-api") return "browser";
  if (service === "remote") return "edge";
  return LOCAL.includes(service) || !(service in services) ? "local" : "key";
}
