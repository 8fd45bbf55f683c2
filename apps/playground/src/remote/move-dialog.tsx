import { useReadable } from "@robota/react";
import { useId, useState } from "react";
import { keyRing } from "../connections/keys/key-ring.ts";
import { usePage } from "../state/page-context.ts";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ConnectForm } from "./connect-form.tsx";
import { explainHere, type ServerProblem } from "./explain-server.ts";
import { type MoveStep, MoveSteps } from "./move-steps.tsx";
import { bringBack, continueOn, type MoveContext } from "./moves.ts";
import { hasToken } from "./server-access.ts";
import { serverName } from "./server-name.ts";
import { servers } from "./servers.ts";
import { ServerOutcome } from "./server-outcome.tsx";
import "../connections/sheet/providers.css";

export interface MoveDialogProps {
  direction: "there" | "back";
  /** The session's id where it is now. */
  id: string;
  title: string;
  /** Where it is, or shall go; to be chosen when missing. */
  server?: string | undefined;
  onClose: () => void;
}

/** Moves a session to a server or back. It stays open until the session has arrived, or says where it is. */
export function MoveDialog({ direction, id, title, server: given, onClose }: MoveDialogProps) {
  const page = usePage();
  const known = useReadable(servers).filter(hasToken);
  useReadable(keyRing.changed);
  const [chosen, setChosen] = useState(given ?? known[0]);
  const [files, setFiles] = useState<"workspace" | "changed">("workspace");
  const [step, setStep] = useState<MoveStep>();
  const isBusy = step !== undefined;
  const [problem, setProblem] = useState<ServerProblem>();
  const isBack = direction === "back";
  const stored = useReadable(page.sessions).find((one) => one.id === id);
  // The session has the same id at its server.
  const sealed = isBack ? undefined : stored?.handedOverTo;
  const server = (sealed?.url ?? chosen)?.replace(/\/+$/, "");

  async function move(work: (context: MoveContext) => Promise<void>) {
    setStep("prepare");
    setProblem(undefined);
    try {
      const host = await page.whenHost();
      await work({ page, host, id, onStep: setStep });
      announce(
        isBack ? "The session is back" : `The session continues on ${serverName(server ?? "")}`,
      );
      onClose();
    } catch (error) {
      setProblem(await explainHere(error, server ?? ""));
      await page.refreshSessions();
    } finally {
      setStep(undefined);
    }
  }

  return (
    <Dialog title={isBack ? "Bring it here" : "Continue on a server"} onClose={onClose}>
      <div data-part="providers">
        <p>
          <strong>{title}</strong>
        </p>
        {!server || !hasToken(server) ? (
          <ConnectForm server={server} onConnected={setChosen} />
        ) : (
          <>
            <p data-part="providers-soft">{moveText(isBack, serverName(server))}</p>
            {!isBack && !sealed && (
              <>
                <ServerChoice known={known} value={server} onChange={setChosen} />
                <FilesChoice value={files} onChange={setFiles} />
              </>
            )}
            <ServerOutcome problem={problem} />
            {problem && !isBack && (
              <p role="status">
                {sealed
                  ? "The session has stopped and did not arrive. It is still stored here."
                  : "The session goes on here."}
              </p>
            )}
            {step && <MoveSteps step={step} isBack={isBack} host={serverName(server)} />}
            <MoveActions
              label={problem ? "Try again" : isBack ? "Bring it here" : "Continue there"}
              isBusy={isBusy}
              onMove={() =>
                void move((context) =>
                  isBack ? bringBack(server, context) : continueOn(server, context, files),
                )
              }
              onKeep={
                sealed &&
                (() =>
                  void move((context) => bringBack(server, { ...context, id: sealed.sessionId })))
              }
            />
          </>
        )}
      </div>
    </Dialog>
  );
}

interface MoveActionsProps {
  label: string;
  isBusy: boolean;
  onMove: () => void;
  /** Ends a move that was cut; missing when there is none. */
  onKeep: (() => void) | undefined;
}

function MoveActions({ label, isBusy, onMove, onKeep }: MoveActionsProps) {
  return (
    <div data-part="providers-actions">
      <Button look="primary" disabled={isBusy} onClick={onMove}>
        {isBusy ? "Moving…" : label}
      </Button>
      {onKeep && (
        <Button disabled={isBusy} onClick={onKeep}>
          Keep it here
        </Button>
      )}
    </div>
  );
}

/** Says what a move does. */
function moveText(isBack: boolean, host: string): string {
  return isBack
    ? `It stops on ${host} and goes on in this browser, with its turn, its queue and its open requests. The files that it changed are written into this workspace.`
    : `It stops here and goes on at ${host}, with its turn, its queue and its open requests. The server’s model and mode apply.`;
}

interface ServerChoiceProps {
  known: readonly string[];
  value: string;
  onChange: (server: string | undefined) => void;
}

function ServerChoice({ known, value, onChange }: ServerChoiceProps) {
  const id = useId();
  return (
    <div data-part="providers-field">
      <label htmlFor={id}>Server</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value || undefined)}>
        {known.map((server) => (
          <option key={server} value={server}>
            {serverName(server)}
          </option>
        ))}
        <option value="">Another one…</option>
      </select>
    </div>
  );
}

interface FilesChoiceProps {
  value: "workspace" | "changed";
  onChange: (files: "workspace" | "changed") => void;
}

function FilesChoice({ value, onChange }: FilesChoiceProps) {
  const id = useId();
  return (
    <div data-part="providers-field">
      <label htmlFor={id}>Files that go along</label>
      <select
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value === "changed" ? "changed" : "workspace")}
      >
        <option value="workspace">All that git does not ignore</option>
        <option value="changed">Only what the session has changed</option>
      </select>
    </div>
  );
}
