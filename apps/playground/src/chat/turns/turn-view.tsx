import { Brain, CircleAlert, CircleStop, CornerDownRight, Unplug } from "lucide-react";
import { memo, useMemo } from "react";
import { useReadable } from "@robota/react";
import type { TextItem, ThinkingItem, TurnItem, TurnView as Turn } from "@robota/react/store";
import { bylineOf } from "../../connections/labels.ts";
import { formatCost } from "../../connections/prices.ts";
import { FailureActions } from "../../connections/turn/failure-actions.tsx";
import { RetryNote } from "../../connections/turn/retry-note.tsx";
import { Markdown } from "../../markdown/markdown.tsx";
import { PlainOnFailure } from "../../markdown/plain-on-failure.tsx";
import { PlanCard } from "../../plan/plan-card.tsx";
import { usePlan } from "../../plan/use-plan.ts";
import { PromptView } from "../../prompt/prompt-view.tsx";
import { onTurnKey } from "../../prompt/turn-keys.ts";
import { groupCalls } from "../../tools/group-calls.ts";
import { ToolCard } from "../../tools/tool-card.tsx";
import { ToolGroup } from "../../tools/tool-group.tsx";
import { useRevealed } from "../../search/use-revealed.ts";
import { useKeptOpen } from "../../state/kept.ts";
import { useCurrentSession, usePage } from "../../state/page-context.ts";
import { withTitles } from "../../sessions/session-title.ts";
import { AttachmentChips } from "../attachments/attachment-chips.tsx";
import { titleOf } from "../attachments/size-of.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { formatCount } from "../../ui/format.ts";
import { TurnSummary } from "../../lazy.ts";
import { RegionBoundary } from "../../ui/region-boundary.tsx";
import { asCut } from "./as-cut.ts";
import { pausedBecause } from "./paused-because.ts";
import { turnTime } from "./turn-time.ts";
import "./turn-view.css";

export interface TurnViewProps {
  turn: Turn;
  /** True where a person works on the turns, and doesn't only look at them. */
  isOwn?: boolean;
}

/** One prompt and all of its results. */
export const TurnView = memo(function TurnView({ turn: given, isOwn = false }: TurnViewProps) {
  const { phase, session, own } = useCurrentSession();
  const isCut = phase.kind === "watching" && phase.reason === "cut";
  const turn = useMemo(() => (isCut ? asCut(given) : given), [isCut, given]);
  const running = turn.state === "running";
  const plan = usePlan(isOwn ? session : undefined, turn.id);
  return (
    <article
      data-part="turn"
      data-entry={turn.id}
      data-state={turn.state}
      aria-label={`Turn: ${titleOf(turn.prompt, turn.attachments).slice(0, 80)}`}
      aria-busy={running && !isCut}
      tabIndex={-1}
      onKeyDown={isOwn ? onTurnKey : undefined}
    >
      {isOwn ? (
        <PromptView turn={turn} />
      ) : (
        <div data-part="prompt" data-item={turn.id} dir="auto">
          {turn.prompt}
          {turn.attachments && <AttachmentChips attachments={turn.attachments} />}
        </div>
      )}
      <div data-part="reply">
        <p data-part="byline">{bylineOf(turn.provider, turn.model)}</p>
        {groupCalls(turn.items).map((item) =>
          item.kind === "group" ? (
            <ToolGroup key={item.id} calls={item.calls} />
          ) : own && item === plan ? (
            <PlanCard key={item.id} session={own} turn={turn} plan={plan} />
          ) : (
            <Item key={item.id} item={item} />
          ),
        )}
        {running && !turn.cut && !isShowingWork(turn.items.at(-1)) && <Waiting turn={turn} />}
        <Outcome turn={turn} paused={pausedBecause(phase, isOwn)} />
        <RegionBoundary name="The summary of the turn">
          <TurnSummary turn={turn} />
        </RegionBoundary>
      </div>
    </article>
  );
});

const Item = memo(function Item({ item }: { item: TurnItem }) {
  switch (item.kind) {
    case "text":
      return <Text item={item} />;
    case "thinking":
      return <Thinking item={item} />;
    case "tool":
      return <ToolCard item={item} />;
    case "steer":
      return (
        <p data-part="steer" data-item={item.id}>
          <CornerDownRight size={14} aria-hidden="true" />
          <span dir="auto">
            <strong>Steered:</strong> {item.text}
          </span>
        </p>
      );
  }
});

function Text({ item }: { item: TextItem }) {
  return (
    <div data-part="text" data-item={item.id} aria-busy={item.streaming}>
      <PlainOnFailure text={item.text}>
        <Markdown text={item.text} streaming={item.streaming} />
      </PlainOnFailure>
    </div>
  );
}

function Thinking({ item }: { item: ThinkingItem }) {
  const [open = false, setOpen] = useKeptOpen(item.id);
  useRevealed(item.id, () => setOpen(true));
  return (
    <details
      data-part="thinking"
      data-item={item.id}
      aria-busy={item.streaming}
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <Brain size={14} aria-hidden="true" />
        {item.streaming ? "Thinking…" : "Thought"}
      </summary>
      <div>{item.text}</div>
    </details>
  );
}

function Waiting({ turn: { retry } }: { turn: Turn }) {
  return retry ? <RetryNote retry={retry} /> : <Working />;
}

function Working() {
  return (
    <p data-part="working">
      <span aria-hidden="true" />
      <span aria-hidden="true" />
      <span aria-hidden="true" />
      <span data-part="visually-hidden">Working</span>
    </p>
  );
}

/** Reports whether the last item already shows progress. */
function isShowingWork(item: TurnItem | undefined): boolean {
  if (!item) return false;
  if (item.kind === "tool") return item.phase === "running" || item.phase === "waiting";
  return (item.kind === "text" || item.kind === "thinking") && item.streaming;
}

function FailureMessage({ message }: { message: string }) {
  const sessions = useReadable(usePage().sessions);
  return <p>{withTitles(message, sessions)}</p>;
}

interface OutcomeProps {
  turn: Turn;
  /** Why a turn that waits for an answer was interrupted. */
  paused: string;
}

function Outcome({ turn, paused }: OutcomeProps) {
  const { state, cut, error, usage, cost, isEstimated } = turn;
  if (state === "running" && !cut) return null;
  const text = turn.items.flatMap((item) => (item.kind === "text" ? [item.text] : [])).join("\n\n");
  const facts = [
    turnTime(turn),
    usage
      ? `${formatCount(usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens)} in · ${formatCount(usage.outputTokens)} out${isEstimated ? " est." : ""}`
      : "",
    cost === undefined ? "" : formatCost(cost),
  ].filter(Boolean);

  return (
    <>
      {state === "failed" && error && (
        <div data-part="failure" role="group" aria-label="The turn failed">
          <CircleAlert size={16} aria-hidden="true" />
          <div>
            <FailureMessage message={error.message} />
            {error.hint && <p data-part="failure-hint">{error.hint}</p>}
            <code>{error.code}</code>
            <FailureActions code={error.code} />
          </div>
        </div>
      )}
      {state === "running" && (
        <p data-part="mark">
          <Unplug size={14} aria-hidden="true" />
          {turn.items.some((item) => item.kind === "tool" && item.phase === "waiting")
            ? paused
            : "Cut off here"}
        </p>
      )}
      {state === "interrupted" && (
        <p data-part="mark">
          {cut ? (
            <Unplug size={14} aria-hidden="true" />
          ) : (
            <CircleStop size={14} aria-hidden="true" />
          )}
          {cut ? "Interrupted" : "Stopped by you"}
        </p>
      )}
      {state !== "running" && (
        <footer data-part="turn-facts">
          <span>{facts.join(" · ")}</span>
          {text && <CopyButton text={text} what="reply" />}
        </footer>
      )}
    </>
  );
}
