import { useReadable } from "@robota/react";
import { type FormEvent, useId, useRef, useState } from "react";
import { addressProblem } from "../connections/address.ts";
import { keyRing } from "../connections/keys/key-ring.ts";
import { KeyField, takeKey } from "../connections/sheet/key-field.tsx";
import { UnlockForm } from "../connections/sheet/unlock-form.tsx";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { explainHere, type ServerProblem } from "./explain-server.ts";
import { connectServer } from "./server-lists.ts";
import { tokenPlace } from "./server-access.ts";
import { serverName } from "./server-name.ts";
import { ServerOutcome } from "./server-outcome.tsx";
import "../connections/sheet/providers.css";

export interface ConnectFormProps {
  /** Address to begin with. */
  server?: string | undefined;
  onConnected: (server: string) => void;
}

/** Asks for a server's address and token, and connects. Nothing is kept of a server that does not answer. */
export function ConnectForm({ server = "", onConnected }: ConnectFormProps) {
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const [address, setAddress] = useState(server);
  const [mistake, setMistake] = useState("");
  const [problem, setProblem] = useState<ServerProblem>();
  const [isBusy, setBusy] = useState(false);
  useReadable(keyRing.changed);

  async function connect(event: FormEvent) {
    event.preventDefault();
    const url = address.trim().replace(/\/+$/, "");
    const place = tokenPlace(url);
    const found =
      addressProblem(url, location.href) ?? (form.current && (await takeKey(place, form.current)));
    setMistake(found ?? "");
    setProblem(undefined);
    if (found) return;
    if (keyRing.keyOf(place) === undefined) return setMistake("Enter the token.");
    setBusy(true);
    try {
      await connectServer(url);
      announce(`Connected to ${serverName(url)}`);
      onConnected(url);
    } catch (error) {
      // A token that did nothing is not worth keeping.
      await keyRing.forget(place);
      setProblem(await explainHere(error, url));
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      {keyRing.isLocked && <UnlockForm />}
      <form ref={form} data-part="providers-form" onSubmit={(event) => void connect(event)}>
        <div data-part="providers-field">
          <label htmlFor={id}>Address</label>
          <input
            id={id}
            type="url"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            placeholder="https://robota.example"
            value={address}
            onChange={(event) => setAddress(event.target.value)}
          />
        </div>
        <KeyField connection={tokenPlace(address)} />
        {mistake && (
          <p data-part="providers-problem" role="alert">
            {mistake}
          </p>
        )}
        <ServerOutcome problem={problem} />
        <div data-part="providers-actions">
          <Button type="submit" look="primary" disabled={isBusy}>
            {isBusy ? "Connecting…" : "Connect"}
          </Button>
        </div>
      </form>
    </>
  );
}
