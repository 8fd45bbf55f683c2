import { CircleAlert, CircleCheck } from "lucide-react";
import type { RefObject } from "react";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import type { CheckResult } from "../check-connection.ts";
import { type Connection, hostOf } from "../connection.ts";
import { keyRing } from "../keys/key-ring.ts";
import type { Command } from "../local-servers.ts";

export interface CheckOutcomeProps {
  result: CheckResult;
  connection: Connection;
  form: RefObject<HTMLFormElement | null>;
}

/** A check's finding, with the remedy. */
export function CheckOutcome({ result, connection, form }: CheckOutcomeProps) {
  if (result.isOk)
    return (
      <p data-part="providers-outcome" data-state="good" role="status">
        <CircleCheck size={16} aria-hidden="true" />
        <span>Connected to {hostOf(connection.baseURL)}.</span>
      </p>
    );
  const { title, text, commands, isAboutKey } = result.explanation;

  async function changeKey() {
    await keyRing.forget(connection);
    form.current?.querySelector<HTMLInputElement>('input[name="key"]')?.focus();
  }

  return (
    <div data-part="providers-outcome" data-state="bad" role="alert">
      <CircleAlert size={16} aria-hidden="true" />
      <div>
        <p>
          <strong>{title}</strong>
        </p>
        <p>{text}</p>
        <CommandList commands={commands} />
        {isAboutKey && <Button onClick={() => void changeKey()}>Change key</Button>}
      </div>
    </div>
  );
}

/** Lines for a terminal, each with a button that copies it. The first one is the usual one. */
export function CommandList({ commands }: { commands: readonly Command[] }) {
  const [usual, ...others] = commands;
  if (!usual) return null;
  return (
    <>
      <Lines commands={[usual]} />
      {others.length > 0 && (
        <details data-part="providers-others">
          <summary>As an app or a service</summary>
          <Lines commands={others} />
        </details>
      )}
    </>
  );
}

function Lines({ commands }: { commands: readonly Command[] }) {
  return (
    <ul data-part="providers-commands">
      {commands.map(({ label, line }) => (
        <li key={line}>
          <span data-part="providers-soft">{label}</span>
          <div>
            <code tabIndex={0}>{line}</code>
            <CopyButton text={line} what={`the line for ${label}`} />
          </div>
        </li>
      ))}
    </ul>
  );
}
