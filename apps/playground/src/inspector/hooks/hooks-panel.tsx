import { useReadable } from "@robota/react";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { useCurrentSession } from "../../state/page-context.ts";
import { changeOwnSettings, ownSettings } from "../../state/own-settings.ts";
import { formatDuration } from "../../ui/format.ts";
import { OutputBlock } from "../../ui/output-block.tsx";
import { Button } from "../../ui/button.tsx";
import { staleSession } from "../reopen.ts";
import { RemoteNote } from "../remote-note.tsx";
import { Facts, PanelBody, Section } from "../section.tsx";
import { StaleNote } from "../stale-note.tsx";
import { useEventFold } from "../use-event-fold.ts";
import { type HookRunEvent, hookRuns, readable } from "./hook-runs.ts";
import { hasSample, withSample } from "./sample-hook.ts";

/** Runs that are shown at first. */
const FIRST = 100;

const outcomes: Readonly<Record<HookRunEvent["outcome"], string>> = {
  allowed: "Allowed",
  blocked: "Blocked",
  stopped: "Stopped the turn",
  failed: "Failed",
  timed_out: "Timed out",
  aborted: "Aborted",
};

/** The configured hooks, and every run of one. */
export function HooksPanel() {
  const { session, local, remote } = useCurrentSession();
  const { state: runs } = useEventFold(session, hookRuns);
  const [shown, setShown] = useState(FIRST);
  const visible = runs.slice(-shown);
  return (
    <PanelBody label="Hooks">
      {remote ? (
        <RemoteNote>Its hooks are set there; their runs are here.</RemoteNote>
      ) : (
        <>
          <StaleNote />
          <SampleHook onChange={() => staleSession.set(local)} />
          <Configured />
        </>
      )}
      <Section
        title="Runs"
        note={runs.length === 0 ? "No hook has run in this session." : undefined}
      >
        <ol data-part="hook-runs">
          {visible.map((run) => (
            <Run key={run.seq} run={run} />
          ))}
        </ol>
        {visible.length < runs.length && (
          <Button look="bare" onClick={() => setShown(shown + FIRST)}>
            Show {Math.min(FIRST, runs.length - visible.length)} earlier
          </Button>
        )}
      </Section>
    </PanelBody>
  );
}

function SampleHook({ onChange }: { onChange: () => void }) {
  const isOn = hasSample(useReadable(ownSettings));
  return (
    <Section
      title="Sample hook"
      note={
        <>
          Runs before each Bash call and blocks commands that start with <code>rm</code>. Try{" "}
          <code>run rm README.md</code>.
        </>
      }
    >
      <label data-part="inspector-check">
        <input
          type="checkbox"
          role="switch"
          checked={isOn}
          onChange={(event) => {
            changeOwnSettings((settings) => withSample(settings, event.target.checked));
            onChange();
          }}
        />
        Block <code>rm</code>
      </label>
    </Section>
  );
}

function Configured() {
  const { local } = useCurrentSession();
  const settings = local?.getSettings();
  const events = Object.entries(settings?.values.hooks ?? {}).filter(([, groups]) => groups.length);
  if (!settings || events.length === 0) return null;
  return (
    <Section title="In force">
      <ul data-part="rows">
        {events.flatMap(([event, groups]) =>
          groups.flatMap((group, at) =>
            group.hooks.map((hook, index) => (
              <li key={`${event}-${at}-${index}`}>
                <span data-part="row-main">
                  {event} <code>{group.matcher || "*"}</code>
                </span>
                <span data-part="row-note">
                  {hook.type} · {hook.layer ?? "program"}
                </span>
              </li>
            )),
          ),
        )}
      </ul>
    </Section>
  );
}

function Run({ run }: { run: HookRunEvent }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li data-outcome={run.outcome}>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ChevronRight size={13} aria-hidden="true" />
        <span data-part="row-main">
          {run.event} <code>{run.matcher || "*"}</code>
        </span>
        <span data-part="hook-outcome">{outcomes[run.outcome]}</span>
        <span data-part="row-note">{formatDuration(run.durationMs)}</span>
      </button>
      {isOpen && (
        <div data-part="hook-details">
          <Facts
            rows={[
              ["Hook", <code key="hook">{run.hook}</code>],
              ["From", run.layer ?? "program"],
              ["Decision", `${outcomes[run.outcome]} (exit ${run.exitCode})`],
              ...(run.reason ? ([["Reason", run.reason]] as const) : []),
            ]}
          />
          <h4>Input</h4>
          <OutputBlock text={readable(run.input ?? "Not recorded")} what="hook input" />
          <h4>Output</h4>
          <OutputBlock text={readable(run.output ?? "No output")} what="hook output" />
        </div>
      )}
    </li>
  );
}
