import type { PermissionMode } from "@robota/runtime";
import type { CommandResult } from "@robota/runtime/sessions";
import { ArrowUp, CircleStop, CornerDownRight, X } from "lucide-react";
import { type KeyboardEvent, type Ref, useEffect, useId, useState } from "react";
import { readDraft, writeDraft } from "../state/preferences.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { CommandMenu } from "./command-menu.tsx";
import { ModeSelect } from "./mode-select.tsx";
import { matchCommands, parseCommand, type SlashCommand } from "./slash-commands.ts";
import "./composer.css";

export interface ComposerProps {
  /** Names the draft; a session that nobody wrote in has none of its own. */
  draftId: string;
  ready: boolean;
  running: boolean;
  waitingRequests: number;
  mode: PermissionMode;
  commands: readonly SlashCommand[];
  /** Prompts that wait, for taking back the last one. */
  queue: readonly string[];
  lastPrompt: string;
  textareaRef: Ref<HTMLTextAreaElement>;
  autoFocus: boolean;
  onMode: (mode: PermissionMode) => void;
  /** May wait for the session. Rejects when the prompt was not taken; the text is kept then. */
  onSend: (text: string) => Promise<void>;
  onSteer: (text: string) => Promise<void>;
  onCommand: (name: string, args: string) => Promise<CommandResult>;
  onStop: () => void;
  /** Takes the last queued prompt out of the queue. */
  onTakeBack: () => void;
  onJumpToRequest: () => void;
}

/** The box to write in, and what can be done to the turn that runs. */
export function Composer(props: ComposerProps) {
  const { draftId, ready, running, waitingRequests, mode, textareaRef, autoFocus } = props;
  const menuId = useId();
  const [text, setText] = useState(() => readDraft(draftId));
  const [problem, setProblem] = useState("");
  const [result, setResult] = useState<CommandResult>();
  const [active, setActive] = useState(0);
  const [dismissed, setDismissed] = useState("");
  const hasText = text.trim() !== "";
  const offered = text === dismissed ? [] : matchCommands(text, props.commands);
  const option = offered[Math.min(active, offered.length - 1)];

  useEffect(() => writeDraft(draftId, text), [draftId, text]);

  async function hand(to: (prompt: string) => Promise<void>) {
    const prompt = text.trim();
    if (!prompt) return;
    setText("");
    setProblem("");
    setResult(undefined);
    try {
      const command = parseCommand(prompt, props.commands);
      if (command) setResult(await props.onCommand(command.name, command.args));
      else await to(prompt);
    } catch (error) {
      // What was typed meanwhile stays, behind what could not be sent. The box may be gone with its session.
      setText((typed) => (typed ? `${prompt}\n${typed}` : prompt));
      writeDraft(draftId, prompt);
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }

  const send = () => void hand(props.onSend);
  const steer = () => void hand(props.onSteer);

  function recall(event: KeyboardEvent) {
    const queued = props.queue.at(-1);
    const recalled = queued ?? props.lastPrompt;
    if (!recalled) return;
    event.preventDefault();
    if (queued !== undefined) props.onTakeBack();
    setText(recalled);
  }

  /** Whether the menu had a use for the key. */
  function onMenuKey(event: KeyboardEvent, chosen: SlashCommand): boolean {
    const isWhole = text === `/${chosen.name}`;
    if (event.key === "ArrowDown") setActive((active + 1) % offered.length);
    else if (event.key === "ArrowUp") setActive((active || offered.length) - 1);
    else if (event.key === "Escape") setDismissed(text);
    else if (event.key === "Tab" || (event.key === "Enter" && !isWhole)) {
      setText(`/${chosen.name} `);
    } else return false;
    event.preventDefault();
    return true;
  }

  function onKeyDown(event: KeyboardEvent) {
    // While an input method composes, Enter belongs to it. Safari reports 229 for the Enter that ends it.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (option && onMenuKey(event, option)) return;
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
      {result && (
        <div data-part="command-result" data-failed={!result.success || undefined} role="status">
          <pre>{result.message}</pre>
          <IconButton label="Dismiss" icon={<X size={14} />} onClick={() => setResult(undefined)} />
        </div>
      )}
      <div data-part="composer-box">
        {option && (
          <CommandMenu
            id={menuId}
            commands={offered}
            active={offered.indexOf(option)}
            onChoose={(command) => setText(`/${command.name} `)}
          />
        )}
        <textarea
          ref={textareaRef}
          autoFocus={autoFocus}
          role={option ? "combobox" : undefined}
          aria-label="Message to the agent"
          aria-autocomplete={option ? "list" : undefined}
          aria-expanded={option ? true : undefined}
          aria-controls={option ? menuId : undefined}
          aria-activedescendant={option && `${menuId}-${option.name}`}
          placeholder={running ? "Add to the queue…" : "Ask the agent to do something…"}
          rows={1}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setActive(0);
            setDismissed("");
          }}
          onKeyDown={onKeyDown}
        />
        <div data-part="composer-row">
          <ModeSelect mode={mode} disabled={!ready} onMode={props.onMode} />
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
                aria-label="Steer"
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
            <Button
              look="strong"
              aria-label="Stop"
              icon={<CircleStop size={15} />}
              onClick={props.onStop}
            >
              Stop
            </Button>
          ) : (
            <IconButton
              type="submit"
              data-look="send"
              label="Send"
              icon={<ArrowUp size={17} />}
              disabled={!hasText}
            />
          )}
        </div>
      </div>
    </form>
  );
}
