import { useEvents } from "@robota/react";
import type { EventRow } from "@robota/react/store";
import { redactValue } from "@robota/runtime/log";
import type { InteractiveSession, SessionEvent, TokenUsage } from "@robota/runtime";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { requestRecords } from "../../state/request-record.ts";
import { useCurrentSession } from "../../state/page-context.ts";
import { Button } from "../../ui/button.tsx";
import { formatCount, formatDuration } from "../../ui/format.ts";
import { OutputBlock } from "../../ui/output-block.tsx";
import { RemoteNote } from "../remote-note.tsx";
import { EmptyPanel, Facts, PanelBody, Section } from "../section.tsx";
import { useEventFold } from "../use-event-fold.ts";
import { conversationOf, type RequestRow, requests, type Requests } from "./requests.ts";

/** Rows that are shown at first. */
const FIRST = 50;

/** Every request to the model with its tokens, time and cost, and what was sent. */
export function RequestsPanel() {
  const { session, local } = useCurrentSession();
  const rows = useEvents(session);
  const { state } = useEventFold(session, requests);
  const [shown, setShown] = useState(FIRST);
  if (state.rows.length === 0) return <EmptyPanel>No request was sent yet.</EmptyPanel>;
  const visible = state.rows.slice(-shown);
  return (
    <PanelBody label="Requests">
      <RemoteNote>What was sent to the model is known there only; its answers are here.</RemoteNote>
      <Totals state={state} session={local} />
      <Section title="Requests" note="Oldest first. Keys are removed before anything is shown.">
        <ol data-part="requests">
          {visible.map((row) => (
            <Row key={row.seq} row={row} events={rows} />
          ))}
        </ol>
        {visible.length < state.rows.length && (
          <Button look="bare" onClick={() => setShown(shown + FIRST)}>
            Show {Math.min(FIRST, state.rows.length - visible.length)} earlier
          </Button>
        )}
      </Section>
    </PanelBody>
  );
}

function Totals({ state, session }: { state: Requests; session: InteractiveSession | undefined }) {
  // With the requests of hooks, subagents and summaries, which are no rows here.
  const total = session?.getUsage() ?? state.total;
  const cost = session?.getCost() ?? state.cost;
  return (
    <Section title="Session">
      <Facts
        rows={[
          ["Requests", String(state.rows.length)],
          ["Tokens", tokensText(total, state.isEstimated)],
          ["Cost", `${costText(cost)}${state.isPartial ? " (some prices unknown)" : ""}`],
        ]}
      />
    </Section>
  );
}

function Row({ row, events }: { row: RequestRow; events: readonly EventRow[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ChevronRight size={13} aria-hidden="true" />
        <span data-part="row-main">{row.model}</span>
        <span data-part="row-note">
          {[
            row.usage ? tokensText(row.usage, row.isEstimated) : "",
            formatDuration(row.durationMs),
            row.cost === undefined ? "" : costText(row.cost),
          ]
            .filter(Boolean)
            .join(" · ")}
        </span>
      </button>
      {isOpen && <Details row={row} events={events} />}
    </li>
  );
}

function Details({ row, events }: { row: RequestRow; events: readonly EventRow[] }) {
  const record = requestRecords().findLast(
    ({ messages }) => messages.at(-1)?.id === row.lastMessageId,
  );
  const sent = record ? sentBody(record) : fromLog(row, events);
  return (
    <div data-part="request-details">
      <Facts
        rows={[
          ["Provider", row.provider],
          ["Messages", String(record?.messages.length ?? row.messages)],
          ...(record?.options.tools
            ? ([["Tools", String(record.options.tools.length)]] as const)
            : []),
          ...(row.stopReason ? ([["Ended by", row.stopReason]] as const) : []),
        ]}
      />
      <h4>{record?.native ? "As sent to the service" : record ? "As sent" : "From the log"}</h4>
      {!record && (
        <p data-part="inspector-note">
          Sent before this page was opened: the conversation is as recorded, without tool
          definitions.
        </p>
      )}
      <OutputBlock text={sent} what="request" />
    </div>
  );
}

function sentBody(record: ReturnType<typeof requestRecords>[number]): string {
  const { signal: _signal, onProviderNativeRawPayload: _onNative, ...options } = record.options;
  const { model, messages } = record;
  const sent = record.native ?? { model, messages, ...options };
  return JSON.stringify(redactValue(sent), null, 2);
}

function fromLog(row: RequestRow, rows: readonly EventRow[]): string {
  const events: SessionEvent[] = rows.map(({ event }) => event);
  const init = events.find((event) => event.type === "session_init");
  const system = init?.type === "session_init" ? init.systemMessage : undefined;
  const sent = { model: row.model, system, messages: conversationOf(events, row.seq) };
  return JSON.stringify(redactValue(sent), null, 2);
}

function tokensText(usage: TokenUsage, isEstimated: boolean): string {
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const cached = usage.cacheReadTokens > 0 ? ` (${formatCount(usage.cacheReadTokens)} cached)` : "";
  const estimate = isEstimated ? " est." : "";
  return `${formatCount(input)} in${cached} · ${formatCount(usage.outputTokens)} out${estimate}`;
}

function costText(cost: number): string {
  if (cost === 0) return "$0";
  return `$${cost < 0.01 ? cost.toFixed(4) : cost.toFixed(2)}`;
}
