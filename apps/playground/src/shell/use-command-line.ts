import { useReadable } from "@robota/react";
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import { useKeptText } from "../state/kept.ts";
import type { ShellOnFiles, Terminal } from "./terminal.ts";

/** The typed line, with the keys of a terminal: earlier lines by arrows, Tab completes, Ctrl+C stops, Ctrl+L clears. */
export function useCommandLine(terminal: Terminal, on: ShellOnFiles | undefined) {
  const { history, isRunning } = useReadable(terminal.state);
  const [line = "", setLine] = useKeptText("shell-line");
  const [choices, setChoices] = useState<readonly string[]>([]);
  const input = useRef<HTMLInputElement>(null);
  /** Where the cursor goes in a completed line. */
  const cursor = useRef<number>(undefined);
  /** After Escape, Tab moves the focus as anywhere else. */
  const leaves = useRef(false);
  /** Steps back from the newest command line. */
  const [back, setBack] = useState(0);
  /** What was typed before the first step back. */
  const typed = useRef("");

  useLayoutEffect(() => {
    if (cursor.current !== undefined)
      input.current?.setSelectionRange(cursor.current, cursor.current);
    cursor.current = undefined;
  }, [line]);

  function recall(steps: number) {
    if (back === 0) typed.current = line;
    setBack(steps);
    setChoices([]);
    setLine(steps === 0 ? typed.current : history.at(-steps));
  }

  function change(text: string | undefined) {
    setBack(0);
    setChoices([]);
    setLine(text);
  }

  async function complete(shown: ShellOnFiles, at: number) {
    const { before, choices: found } = await terminal.complete(line.slice(0, at), shown);
    // What was typed meanwhile counts.
    if (input.current?.value !== line) return;
    if (before !== line.slice(0, at)) {
      cursor.current = before.length;
      change(before + line.slice(at));
    }
    setChoices(found);
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    const { selectionStart, selectionEnd } = event.currentTarget;
    const isAway = leaves.current || line.trim() === "";
    const isTab = event.key === "Tab" && !event.shiftKey && !isAway;
    // The first one only leaves the line: it must not stop the agent.
    const isFirstEscape = event.key === "Escape" && !isAway;
    leaves.current = event.key === "Escape";
    if (event.ctrlKey && event.key === "c" && selectionStart === selectionEnd) {
      if (isRunning) terminal.stop();
      else change(undefined);
    } else if (event.ctrlKey && event.key === "l") terminal.clear();
    else if (isTab && on) void complete(on, selectionStart ?? line.length);
    else if (isFirstEscape) setChoices([]);
    else if (event.key === "ArrowUp") recall(Math.min(back + 1, history.length));
    else if (event.key === "ArrowDown") recall(Math.max(back - 1, 0));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return { input, line, setLine: change, choices, onKeyDown };
}
