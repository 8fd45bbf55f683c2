import { useReadable } from "@robota/react";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { announce } from "../../ui/announcer.tsx";
import { Button } from "../../ui/button.tsx";
import { type CheckResult, checkConnection } from "../check-connection.ts";
import { CheckOutcome } from "./check-outcome.tsx";
import { type Connection, hostOf } from "../connection.ts";
import { addressProblem, connectionTo } from "../address.ts";
import { savedConnections } from "../connections.ts";
import { ContextWarning } from "./context-warning.tsx";
import { KeyField, takeKey } from "./key-field.tsx";
import { keyRing } from "../keys/key-ring.ts";
import { askWindow } from "../local-servers.ts";
import { ModelField } from "./model-field.tsx";
import type { ServiceId } from "../service-titles.ts";
import { type LocalServiceId, services } from "../services.ts";
import { useConnect } from "../use-connect.ts";

export interface ServiceFormProps {
  service: ServiceId;
  onDone: () => void;
}

/** Address, key and model of one service, with a check that costs nothing. */
export function ServiceForm({ service, onDone }: ServiceFormProps) {
  const saved = savedConnections().findLast((each) => each.service === service);
  const [baseURL, setBaseURL] = useState(saved?.baseURL ?? services[service].baseURL);
  const [model, setModel] = useState(saved?.model ?? "");
  const [asked, setAsked] = useState<Pick<Connection, "model" | "contextWindow"> | undefined>(
    saved,
  );
  const connect = useConnect();
  const { checked, isChecking, problem, setProblem, check } = useCheck();
  const form = useRef<HTMLFormElement>(null);
  useReadable(keyRing.changed);
  const connection = connectionTo(service, model, baseURL);
  const isLocal = isLocalService(service);
  // Findings about another address or another model say nothing about these.
  const result = checked?.baseURL === connection.baseURL ? checked.result : undefined;
  const contextWindow = asked?.model === connection.model ? asked.contextWindow : undefined;
  const models = result?.isOk ? result.models : [];

  /** Moves a typed key to its place. @returns false when the form has a mistake */
  async function prepare(): Promise<boolean> {
    const mistake =
      addressProblem(baseURL, location.href) ??
      (form.current && (await takeKey(connection, form.current)));
    setProblem(mistake ?? "");
    return !mistake;
  }

  async function onCheck(event: FormEvent) {
    event.preventDefault();
    if (!(await prepare())) return;
    const found = await check(connection);
    if (!found?.isOk) return;
    const wanted = connection.model || preferred(service, found.models);
    // One may have been typed meanwhile.
    setModel((typed) => typed || wanted);
    if (!isLocal) return;
    setAsked({
      model: wanted,
      contextWindow: await askWindow(service, connection.baseURL, wanted),
    });
  }

  async function onUse() {
    if (!(await prepare())) return;
    if (keyRing.stateOf(connection) === "missing") return setProblem("Enter a key first.");
    try {
      await connect(isLocal ? { ...connection, contextWindow } : connection);
      announce(`Using ${connection.model}`);
      onDone();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }

  return (
    <form ref={form} data-part="providers-form" onSubmit={(event) => void onCheck(event)}>
      <AddressField service={service} value={baseURL} onChange={setBaseURL} />
      {services[service].key !== "none" && <KeyField connection={connection} />}
      {problem && (
        <p data-part="providers-problem" role="alert">
          {problem}
        </p>
      )}
      <div data-part="providers-actions">
        <Button type="submit" disabled={isChecking}>
          {isChecking ? "Checking…" : "Check connection"}
        </Button>
        <span data-part="providers-soft">Free: it only lists models.</span>
      </div>
      {result && <CheckOutcome result={result} connection={connection} form={form} />}
      <ModelField connection={connection} models={models} onModel={setModel} />
      {isLocal && result?.isOk && <ContextWarning server={service} contextWindow={contextWindow} />}
      <div data-part="providers-actions">
        <Button look="primary" disabled={model.trim() === ""} onClick={() => void onUse()}>
          {model.trim() === "" ? "Use a model" : `Use ${model.trim()}`}
        </Button>
      </div>
    </form>
  );
}

function useCheck() {
  const [checked, setChecked] = useState<{ baseURL: string; result: CheckResult }>();
  const [isChecking, setChecking] = useState(false);
  const [problem, setProblem] = useState("");
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function check(connection: Connection): Promise<CheckResult | undefined> {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    setChecking(true);
    try {
      const key = keyRing.keyOf(connection);
      const result = await checkConnection(connection, key, abort.signal);
      if (abort.signal.aborted) return undefined;
      setChecked({ baseURL: connection.baseURL, result });
      announce(result.isOk ? "Connected" : result.explanation.title);
      return result;
    } catch {
      return undefined;
    } finally {
      if (!abort.signal.aborted) setChecking(false);
    }
  }
  return { checked, isChecking, problem, setProblem, check };
}

interface AddressFieldProps {
  service: ServiceId;
  value: string;
  onChange: (address: string) => void;
}

/** Known services hide it: only a proxy or a test changes it. */
function AddressField({ service, value, onChange }: AddressFieldProps) {
  const id = useId();
  const { key, baseURL } = services[service];
  const field = (
    <div data-part="providers-field">
      <label htmlFor={id}>{service === "remote" ? "Address" : "Base URL"}</label>
      <input
        id={id}
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder={baseURL || "https://"}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
  if (key !== "required") return field;
  return (
    <details data-part="providers-more" open={value !== baseURL || undefined}>
      <summary>
        Requests go to <code>{hostOf(value) ?? "…"}</code>
      </summary>
      {field}
    </details>
  );
}

function isLocalService(service: ServiceId): service is LocalServiceId {
  return service === "ollama" || service === "lmStudio" || service === "llamaCpp";
}

function preferred(service: ServiceId, models: readonly string[]): string {
  const { model = "" } = services[service];
  if (models.length === 0 || models.includes(model)) return model;
  // Services list dated ids beside their aliases.
  return models.find((id) => model !== "" && id.startsWith(model)) ?? models[0] ?? "";
}
