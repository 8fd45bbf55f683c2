import { useReadable } from "@robota/react";
import { CircleStop, Eraser } from "lucide-react";
import { useEffect, useId, useMemo, useRef } from "react";
import { WORKSPACE_ROOT } from "../constants.ts";
import { useCurrentSession, useHost } from "../state/page-context.ts";
import { announce } from "../ui/announcer.tsx";
import { ansiSpans } from "../ui/ansi.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { type ShellEntry, shownDirectory } from "./scrollback.ts";
import { type ShellOnFiles, Terminal } from "./terminal.ts";
import { useCommandLine } from "./use-command-line.ts";
import "./shell.css";

/** Names of a completion that are shown; more of them would push the output away. */
const MOST_CHOICES = 40;

/** The page's terminal: it outlives its panel. */
const terminal = new Terminal(WORKSPACE_ROOT);

/** Runs a person's own commands on the session's files, with no questions: the person typed them. */
export function ShellPanel() {
  const host = useHost();
  const { session, local } = useCurrentSession();
  const on = useMemo((): ShellOnFiles | undefined => {
    // Changes through the session's files are recorded, so they are marked and can be undone.
    if (!host || !local) return undefined;
    const { fs } = local.workspace;
    return { shell: host.shell.over?.(fs) ?? host.shell, fs };
  }, [host, local]);
  if (session && !local) {
    return <p data-part="file-note">This session runs on a server, where its commands run too.</p>;
  }
  return (
    <div data-part="shell">
      <Log />
      <CommandLine on={on} />
    </div>
  );
}

function Log() {
  const { entries } = useReadable(terminal.state);
  const log = useRef<HTMLDivElement>(null);

  useEffect(() => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [entries]);

  return (
    <div ref={log} data-part="shell-log" role="group" aria-label="Output of commands" tabIndex={0}>
      {entries.length === 0 && (
        <p data-part="file-note">
          Commands run in this tab, on the session's files. Try <code>ls</code> or <code>help</code>
          . Tab completes.
        </p>
      )}
      {entries.map((entry) => (
        <Entry key={entry.id} entry={entry} />
      ))}
    </div>
  );
}

function CommandLine({ on }: { on: ShellOnFiles | undefined }) {
  const { entries, cwd, isRunning } = useReadable(terminal.state);
  const { input, line, setLine, choices, onKeyDown } = useCommandLine(terminal, on);
  const help = useId();

  async function run() {
    if (!on || line.trim() === "") return;
    setLine("");
    const entry = await terminal.run(line, on);
    if (entry) announce(outcomeOf(entry));
  }

  return (
    <>
      <p data-part="shell-choices" role="status">
        {choices.slice(0, MOST_CHOICES).join("  ")}
        {choices.length > MOST_CHOICES && `  and ${choices.length - MOST_CHOICES} more`}
      </p>
      <form
        data-part="shell-line"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <label htmlFor="shell-input" title={cwd}>
          {shownDirectory(cwd, WORKSPACE_ROOT)} $
        </label>
        <input
          ref={input}
          id="shell-input"
          aria-describedby={help}
          aria-label={`Command, in ${cwd}`}
          value={line}
          autoCapitalize="none"
          autoComplete="off"
          autoCorrect="off"
          spellCheck={false}
          enterKeyHint="go"
          disabled={!on}
          onChange={(event) => setLine(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <span id={help} hidden>
          Tab completes; Escape, then Tab moves on.
        </span>
        {isRunning ? (
          <Button
            look="danger"
            icon={<CircleStop size={15} />}
            title="Ctrl+C"
            onClick={() => terminal.stop()}
          >
            Stop command
          </Button>
        ) : (
          <IconButton
            label="Clear the output"
            icon={<Eraser size={15} />}
            disabled={entries.length === 0}
            onClick={() => terminal.clear()}
          />
        )}
      </form>
    </>
  );
}

/** Words for a screen reader. */
function outcomeOf({ exitCode, failure, phase }: ShellEntry): string {
  if (phase === "dropped") return "Not run";
  if (failure) return `Could not run: ${failure}`;
  return exitCode === 0 ? "Done" : `Exit code ${exitCode ?? "unknown"}`;
}

function Entry({ entry }: { entry: ShellEntry }) {
  const { cwd, command, output, isCut, exitCode, failure, phase } = entry;
  const spans = useMemo(() => ansiSpans(output), [output]);
  return (
    <div data-part="shell-entry">
      <p data-part="shell-command">
        <span>{shownDirectory(cwd, WORKSPACE_ROOT)} $</span> <code>{command}</code>
      </p>
      {isCut && <p data-part="shell-note">Earlier output was dropped.</p>}
      {output !== "" && (
        <pre>
          {spans.map((span, index) => (
            <span
              key={index}
              data-ansi={span.color}
              data-bold={span.bold || undefined}
              data-dim={span.dim || undefined}
            >
              {span.text}
            </span>
          ))}
        </pre>
      )}
      {phase === "waiting" && <p data-part="shell-note">Waiting</p>}
      {phase === "dropped" && <p data-part="shell-note">Not run</p>}
      {failure && <p data-part="shell-exit">Could not run: {failure}</p>}
      {exitCode !== undefined && exitCode !== 0 && (
        <p data-part="shell-exit">{exitCode === 130 ? "Stopped" : `Exit code ${exitCode}`}</p>
      )}
    </div>
  );
}
