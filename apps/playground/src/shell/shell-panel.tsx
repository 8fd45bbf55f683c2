import { useReadable } from "@robota/react";
import { CircleStop, Eraser } from "lucide-react";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { WORKSPACE_ROOT } from "../constants.ts";
import { useKept } from "../state/kept.ts";
import { useCurrentSession, useHost } from "../state/page-context.ts";
import { announce } from "../ui/announcer.tsx";
import { ansiSpans } from "../ui/ansi.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { type ShellEntry, shownDirectory } from "./scrollback.ts";
import { createTerminal, type ShellOnFiles } from "./terminal.ts";
import "./shell.css";

/** The page's terminal: it outlives its panel. */
const terminal = createTerminal(WORKSPACE_ROOT);

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
          .
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
  const { line, setLine, onKeyDown } = useLine();

  async function run() {
    if (!on || isRunning || line.trim() === "") return;
    setLine("");
    await terminal.run(line, on);
    const last = terminal.state.get().entries.at(-1);
    if (last) announce(last.exitCode === 0 ? "Done" : `Exit code ${last.exitCode ?? "unknown"}`);
  }

  return (
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
        id="shell-input"
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
      {isRunning ? (
        <Button
          look="danger"
          icon={<CircleStop size={15} />}
          title="Ctrl+C"
          onClick={terminal.stop}
        >
          Stop command
        </Button>
      ) : (
        <IconButton
          label="Clear the output"
          icon={<Eraser size={15} />}
          disabled={entries.length === 0}
          onClick={terminal.clear}
        />
      )}
    </form>
  );
}

/** The typed line, with the keys of a terminal: earlier lines by arrows, Ctrl+C stops, Ctrl+L clears. */
function useLine() {
  const { history, isRunning } = useReadable(terminal.state);
  const [line = "", setLine] = useKept("shell-line", isText);
  /** Steps back from the newest command line. */
  const [back, setBack] = useState(0);
  /** What was typed before the first step back. */
  const typed = useRef("");

  function recall(steps: number) {
    if (back === 0) typed.current = line;
    setBack(steps);
    setLine(steps === 0 ? typed.current : history.at(-steps));
  }

  function clear() {
    setBack(0);
    setLine(undefined);
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    const { selectionStart, selectionEnd } = event.currentTarget;
    if (event.ctrlKey && event.key === "c" && selectionStart === selectionEnd) {
      if (isRunning) terminal.stop();
      else clear();
    } else if (event.ctrlKey && event.key === "l") terminal.clear();
    else if (event.key === "ArrowUp") recall(Math.min(back + 1, history.length));
    else if (event.key === "ArrowDown") recall(Math.max(back - 1, 0));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return {
    line,
    setLine: (text: string) => {
      setBack(0);
      setLine(text);
    },
    onKeyDown,
  };
}

function Entry({ entry }: { entry: ShellEntry }) {
  const { cwd, command, output, isCut, exitCode, failure } = entry;
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
      {failure && <p data-part="shell-exit">Could not run: {failure}</p>}
      {exitCode !== undefined && exitCode !== 0 && (
        <p data-part="shell-exit">{exitCode === 130 ? "Stopped" : `Exit code ${exitCode}`}</p>
      )}
    </div>
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
