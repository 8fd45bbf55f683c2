import { useReadable, useTranscript } from "@robota/react";
import { sessionStore, type TurnView as Turn } from "@robota/react/store";
import type { PermissionRequest } from "@robota/runtime";
import { useEffect, useState } from "react";
import type { AgentHost } from "../agent-host.ts";
import { RequestPreview } from "../approval/request-preview.tsx";
import { turnTime } from "../chat/turns/turn-time.ts";
import { TurnView } from "../chat/turns/turn-view.tsx";
import { modelLabel } from "../connections/labels.ts";
import { formatCost, isFree } from "../connections/prices.ts";
import { DiffView } from "../diff/diff-view.tsx";
import { problemText } from "../inspector/use-busy.ts";
import { requestTitle, titleText } from "../approval/request-title.ts";
import { Button } from "../ui/button.tsx";
import { formatCount, shortPath } from "../ui/format.ts";
import { answerOf, changesOf, type Side } from "./comparison.ts";
import type { FileDifference } from "./file-differences.ts";

export interface SideViewProps {
  host: AgentHost;
  side: Side;
  /** False while another answer is being kept. */
  canKeep: boolean;
  onKeep: () => void;
}

/** One answer as it comes, what it cost, and what it did to its files. */
export function SideView({ host, side, canKeep, onKeep }: SideViewProps) {
  const { name, session, settings } = side;
  const view = useReadable(sessionStore(session));
  useTranscript(session);
  const turn = answerOf(side, view);
  const refusal = useRefusal(side);
  const isRunning = turn ? turn.state === "running" : refusal === undefined;
  const { changes, problem } = useChanges(host, side, isRunning);
  const { name: model, note } = modelLabel(settings.provider, settings.model);
  return (
    <section data-part="compare-side" aria-label={`${name}: ${model}`}>
      <header>
        <h3>
          <span data-part="compare-name">{name}</span> {model}
          <span data-part="providers-soft"> {note}</span>
        </h3>
        <Figures turn={turn} provider={settings.provider} />
      </header>
      {view.requests.map((request) => (
        <SideRequest key={request.id} side={side} request={request} />
      ))}
      {turn && <TurnView turn={turn} />}
      {!turn && refusal && <Problem text={refusal} />}
      {!isRunning && (problem ? <Problem text={problem} /> : <Changes changes={changes} />)}
      <footer data-part="providers-actions">
        <Button look="primary" disabled={isRunning || !canKeep} onClick={onKeep}>
          Keep {name}
        </Button>
        {isRunning && <Button onClick={() => session.abort()}>Stop {name}</Button>}
      </footer>
    </section>
  );
}

function Figures({ turn, provider }: { turn: Turn | undefined; provider: string }) {
  const { usage, cost, isEstimated } = turn ?? {};
  const time = (turn && turnTime(turn)) || "…";
  const price = cost === undefined ? (isFree(provider) ? "$0" : "unknown") : formatCost(cost);
  const read = usage && usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const tokens = `${formatCount(read ?? 0)} in · ${formatCount(usage?.outputTokens ?? 0)} out`;
  const figures = [
    ["Time", time],
    ["Tokens", usage ? tokens + (isEstimated ? " est." : "") : "…"],
    ["Cost", usage ? price : "…"],
  ];
  return (
    <dl data-part="compare-figures">
      {figures.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The reason why the side's turn did not begin, once it is known. */
function useRefusal({ refusal }: Side): string | undefined {
  const [reason, setReason] = useState<string>();
  useEffect(() => {
    let isGone = false;
    void refusal.then((text) => !isGone && setReason(text));
    return () => {
      isGone = true;
    };
  }, [refusal]);
  return reason;
}

interface FoundChanges {
  changes?: readonly FileDifference[];
  problem?: string;
}

/** The side's own files against the workspace, once its turn has ended. */
function useChanges(host: AgentHost, side: Side, isRunning: boolean): FoundChanges {
  const [found, setFound] = useState<FoundChanges>({});
  useEffect(() => {
    if (isRunning) return;
    let isGone = false;
    changesOf(host, side).then(
      (changes) => !isGone && setFound({ changes }),
      (error) =>
        !isGone && setFound({ problem: `Files could not be compared. ${problemText(error)}` }),
    );
    return () => {
      isGone = true;
    };
  }, [host, side, isRunning]);
  return found;
}

function Problem({ text }: { text: string }) {
  return (
    <p data-part="providers-problem" role="alert">
      {text}
    </p>
  );
}

function Changes({ changes }: { changes: readonly FileDifference[] | undefined }) {
  if (!changes) return <p data-part="providers-soft">Comparing files…</p>;
  if (changes.length === 0) return <p data-part="providers-soft">No file changed.</p>;
  return (
    <details data-part="compare-changes" open>
      <summary>
        {changes.length} {changes.length === 1 ? "file" : "files"} changed
      </summary>
      {changes.map((change) =>
        change.isText ? (
          <DiffView key={change.path} change={change} />
        ) : (
          <p key={change.path}>
            <code>{shortPath(change.path)}</code> differs. It is not text, or too large to show.
          </p>
        ),
      )}
    </details>
  );
}

/** A request for approval, with the name of the side that asks. */
function SideRequest({ side, request }: { side: Side; request: PermissionRequest }) {
  const { name, session } = side;
  const original = request.args["command"];
  const [edited, setEdited] = useState<string>();
  const command = typeof original === "string" ? (edited ?? original) : undefined;
  const isEdited = command !== original;
  const title = `${name}: ${titleText(requestTitle(request, request.preview))}`;

  function allow() {
    const changed = isEdited ? { updatedArgs: { ...request.args, command } } : {};
    void session.resolvePermission(request.id, { allow: true, scope: "once", ...changed });
  }

  return (
    <div data-part="compare-request" role="group" aria-label={title}>
      <h4 role="alert">{title}</h4>
      <RequestPreview request={request} command={command} onCommand={setEdited} />
      <div data-part="providers-actions">
        <Button look="primary" onClick={allow}>
          Allow for {name}
        </Button>
        <Button
          look="danger"
          onClick={() => void session.resolvePermission(request.id, { allow: false })}
        >
          Deny for {name}
        </Button>
      </div>
    </div>
  );
}
