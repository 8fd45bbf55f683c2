import { useContextUsage } from "@robota/react";
import type { SessionConnection } from "@robota/react/store";
import type { SystemPromptReport } from "@robota/runtime/settings";
import { useCurrentSession } from "../../state/page-context.ts";
import { formatCount } from "../../ui/format.ts";
import { RemoteNote } from "../remote-note.tsx";
import { EmptyPanel, PanelBody, Section } from "../section.tsx";
import { useEventFold } from "../use-event-fold.ts";
import { ContextBreakdownView } from "./context-breakdown.tsx";
import { compactions } from "./compactions.ts";

/** The model's window: what is in it, what was summarised, and the sections of the system prompt. */
export function ContextPanel() {
  const { local, remote } = useCurrentSession();
  if (remote) {
    return (
      <PanelBody label="Context">
        <RemoteNote>
          Only the server knows the parts of its window and its system prompt.
        </RemoteNote>
        <Window session={remote} />
        <Compactions session={remote} />
      </PanelBody>
    );
  }
  if (!local) return <EmptyPanel>The context is shown once the session is open.</EmptyPanel>;
  return (
    <PanelBody label="Context">
      <Section title="Window">
        <ContextBreakdownView session={local} />
      </Section>
      <Compactions session={local} />
      <Prompt report={local.getSystemPromptReport()} />
    </PanelBody>
  );
}

function Window({ session }: { session: SessionConnection }) {
  const usage = useContextUsage(session);
  return (
    <Section
      title="Window"
      note={
        usage
          ? `${formatCount(usage.usedTokens)} of ${formatCount(usage.maxTokens)} tokens are used.`
          : "Nothing was sent yet."
      }
    />
  );
}

function Compactions({ session }: { session: SessionConnection }) {
  const { state } = useEventFold(session, compactions);
  return (
    <Section
      title="Compactions"
      note={state.list.length === 0 ? "Nothing was summarised in this session." : undefined}
    >
      <ul data-part="rows">
        {state.list.map(({ seq, trigger, messages, before, after, summary }) => (
          <li key={seq}>
            <details>
              <summary>
                Summarised {messages === 1 ? "1 message" : `${messages} messages`}:{" "}
                {formatCount(before)} to {formatCount(after)} tokens est.{" "}
                <span data-part="row-note">{trigger === "auto" ? "automatic" : "by you"}</span>
              </summary>
              <p data-part="context-summary">{summary}</p>
            </details>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const states = { included: "", cut: "shortened", omitted: "left out" };

function Prompt({ report }: { report: SystemPromptReport | undefined }) {
  if (!report) return null;
  return (
    <Section title="System prompt" note={`${formatCount(report.tokens)} tokens est., by section.`}>
      <ul data-part="rows">
        {report.sections.map(({ section, source, tokens, state, reason }, index) => (
          <li key={index} title={reason}>
            <span data-part="row-main">{section}</span>
            <span data-part="row-note">
              {[source, states[state], `${formatCount(tokens)} est.`].filter(Boolean).join(" · ")}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
