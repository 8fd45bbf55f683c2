import { useReadable } from "@robota/react";
import { useId, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { type Connection, hostOf } from "../connection.ts";
import { keyRing, type KeyPlace } from "../keys/key-ring.ts";
import { WrongPassphrase } from "../keys/key-vault.ts";
import { services } from "../services.ts";

/** Below that, guessing takes hours even with the slow derivation. */
const SHORTEST_PASSPHRASE = 10;

const PLACES: readonly { id: KeyPlace; label: string; note: string }[] = [
  { id: "page", label: "Until I reload", note: "Only in memory." },
  { id: "tab", label: "In this tab", note: "Survives a reload." },
  { id: "browser", label: "In this browser", note: "Encrypted with a passphrase." },
];

const HELD: Readonly<Record<KeyPlace, string>> = {
  page: "until you reload",
  tab: "in this tab",
  browser: "in this browser, encrypted",
};

/** The key of a connection: entered, or a word about the one that is held. Inputs are uncontrolled, so no attribute gets it. */
export function KeyField({ connection }: { connection: Connection }) {
  useReadable(keyRing.changed);
  const [place, setPlace] = useState<KeyPlace>("page");
  const id = useId();
  const word = connection.service === "remote" ? "Token" : "API key";
  const held = keyRing.keyOf(connection) !== undefined && keyRing.placeOf(connection);
  if (held)
    return (
      <div data-part="providers-held">
        <span>
          {word} held {HELD[held]}
        </span>
        <Button onClick={() => void keyRing.forget(connection)}>Forget</Button>
      </div>
    );
  const optional = services[connection.service].key === "optional" ? " (if it needs one)" : "";
  return (
    <>
      <div data-part="providers-field">
        <label htmlFor={id}>{word + optional}</label>
        <input id={id} name="key" type="password" autoComplete="off" spellCheck={false} />
      </div>
      <fieldset data-part="providers-places">
        <legend>Keep it</legend>
        {PLACES.map(({ id: each, label, note }) => (
          <label key={each}>
            <input
              type="radio"
              name="place"
              value={each}
              checked={place === each}
              onChange={() => setPlace(each)}
            />
            <span>
              {label} <span data-part="providers-soft">{note}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {place === "browser" && !keyRing.isUnlocked && <PassphraseField />}
      <p data-part="providers-soft">
        Goes only to <code>{hostOf(connection.baseURL) ?? "the address above"}</code>. Anything
        running in this page can read the key while it is unlocked, and so can browser extensions.
        Use a limited key with a spend cap.
      </p>
    </>
  );
}

function PassphraseField() {
  const id = useId();
  return (
    <div data-part="providers-field">
      <label htmlFor={id}>{keyRing.isLocked ? "Your passphrase" : "New passphrase"}</label>
      <input
        id={id}
        name="passphrase"
        type="password"
        autoComplete="off"
        aria-describedby={`${id}-help`}
      />
      <span id={`${id}-help`} data-part="providers-soft">
        {keyRing.isLocked
          ? "The one that you chose for your other keys."
          : `At least ${SHORTEST_PASSPHRASE} characters. It can't be recovered.`}
      </span>
    </div>
  );
}

/** Moves the typed key to the place that the form says. @returns what is wrong with it, for a person */
export async function takeKey(
  connection: Connection,
  form: HTMLFormElement,
): Promise<string | undefined> {
  const data = new FormData(form);
  const key = textOf(data, "key").trim();
  if (key === "") return undefined;
  if (!/^[\x21-\x7e]+$/.test(key))
    return "This key has spaces or characters that no key has. Copy it again.";
  const place = textOf(data, "place") as KeyPlace;
  if (place === "browser" && !keyRing.isUnlocked) {
    const problem = await openVault(textOf(data, "passphrase"));
    if (problem) return problem;
  }
  try {
    await keyRing.keep(connection, key, place);
  } catch {
    return "This browser has no room for the key. Keep it until you reload instead.";
  }
  for (const input of form.querySelectorAll<HTMLInputElement>('input[type="password"]'))
    input.value = "";
  return undefined;
}

async function openVault(passphrase: string): Promise<string | undefined> {
  if (!keyRing.isLocked && passphrase.length < SHORTEST_PASSPHRASE)
    return `The passphrase needs at least ${SHORTEST_PASSPHRASE} characters.`;
  try {
    await keyRing.unlock(passphrase);
    return undefined;
  } catch (error) {
    return error instanceof WrongPassphrase
      ? "That isn't the passphrase of your stored keys."
      : "This browser can't store keys here.";
  }
}

function textOf(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === "string" ? value : "";
}
