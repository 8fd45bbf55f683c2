import type { PermissionMode } from "@robota/runtime";
import { ArrowUp, CircleStop, CornerDownRight } from "lucide-react";
import { type KeyboardEvent, type Ref, useEffect, useState } from "react";
import { readDraft, writeDraft } from "../state/preferences.ts";
import { Button, IconButton } from "../ui/button.tsx";
import "./composer.css";

const modes: readonly { id: PermissionMode; label: string; meaning: string }[] = [
  { id: "plan", label: "Plan", meaning: "Only looks, changes nothing" },
  { id: "default", label: "Ask first", meaning: "Asks before changes, commands and the network" },
  { id: "acceptEdits", label: "Accept edits", meaning: "Edits files; asks before commands" },
  { id: "bypassPermissions", label: "Allow all", meaning: "Asks nothing that no rule forbids" },
];

export interface ComposerProps {
  /** Names the draft; a session that nobody wrote in has none of its own. */
  draftId: string;
  ready: boolean;
  running: boolean;
  waitingRequests: number;
  mode: PermissionMode;
  /** Prompts that wait, for taking back the last one. */
  queue: readonly string[];
  textareaRef: Ref<HTMLTextAreaElement>;
  autoFocus: boolean;
  lastPrompt: string;
  onMode: (mode: PermissionMode) => void;
  /** Rejects when the prompt was not taken; the text is kept then. */
  onSend: (text: string) => Promise<void>;
  onSteer: (text: string) => Promise<void>;
  onStop: () => void;
  /** Takes the last queued prompt out of the queue. */
  onTakeBack: () => void;
  onJumpToRequest: () => void;
}

export function Composer(props: ComposerProps) {
  const {
    draftId,
    ready,
    autoFocus,
    running,
    waitingRequests,
    mode,
    queue,
    lastPrompt,
    textareaRef,
  } = props;
  const [text, setText] = useState(() => readDraft(draftId));
  const [problem, setProblem] = useState("");
  const hasText = text.trim() !== "";

  useEffect(() => writeDraft(draftId, text), [draftId, text]);

  async function hand(to: (prompt: string) => Promise<void>) {
    const prompt = text.trim();
    if (!prompt || !ready) return;
    setText("");
    setProblem("");
    try {
      await to(prompt);
    } catch (error) {
      // Whatever was typed meanwhile stays in front.
      setText((typed) => (typed ? `${prompt}\n${typed}` : prompt));
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }

  const send = () => void hand(props.onSend);
  const steer = () => void hand(props.onSteer);

  function recall(event: KeyboardEvent) {
    const last = queue.at(-1);
    const recalled = last ?? lastPrompt;
    if (!recalled) return;
    event.preventDefault();
    if (last !== undefined) props.onTakeBack();
    setText(recalled);
  }

  function onKeyDown(event: KeyboardEvent) {
    // While an input method composes, Enter belongs to it. Safari reports 229 for the Enter that ends it.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "ArrowUp" && text === "") recall(event);
    if (event.key !== "Enter" || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (running && (event.metaKey || event.ctrlKey)) steer();
    else send();
  }

  return (
    <form
      data-part="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {problem && (
        <p data-part="composer-problem" role="alert">
          {problem}
        </p>
      )}
      <div data-part="composer-box">
        <textarea
          ref={textareaRef}
          autoFocus={autoFocus}
          aria-label="Message to the agent"
          placeholder={running ? "Add to the queue…" : "Ask the agent to do something…"}
          rows={1}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <div data-part="composer-row">
          <label data-part="mode" title={modes.find(({ id }) => id === mode)?.meaning}>
            <span data-part="visually-hidden">Permission mode</span>
            <select
              value={mode}
              data-mode={mode}
              disabled={!ready}
              onChange={(event) => props.onMode(event.target.value as PermissionMode)}
            >
              {modes.map(({ id, label, meaning }) => (
                <option key={id} value={id} title={meaning}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          {waitingRequests > 0 && (
            <Button data-part="jump" look="bare" title="Alt+A" onClick={props.onJumpToRequest}>
              {waitingRequests} waiting
              <span data-part="visually-hidden">for approval: go to the request</span>
            </Button>
          )}
          <span data-part="spacer" />
          {running && hasText && (
            <>
              <Button
                look="bare"
                icon={<CornerDownRight size={15} />}
                title="Tells the running turn at its next step (Ctrl or Cmd + Enter)"
                onClick={steer}
              >
                Steer
              </Button>
              <Button type="submit" title="Runs when this turn is over (Enter)">
                Queue
              </Button>
            </>
          )}
          {running ? (
            <Button look="strong" icon={<CircleStop size={15} />} onClick={props.onStop}>
              Stop
            </Button>
          ) : (
            <IconButton
              type="submit"
              data-look="send"
              label="Send"
              icon={<ArrowUp size={17} />}
              disabled={!hasText || !ready}
            />
          )}
        </div>
      </div>
    </form>
  );
}
