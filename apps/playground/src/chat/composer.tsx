import type { UseCommands } from "@robota/react";
import type { PermissionMode } from "@robota/runtime";
import type { CommandResult, QueuedPrompt } from "@robota/runtime/sessions";
import { X } from "lucide-react";
import { type KeyboardEvent, type Ref, useEffect, useId, useState } from "react";
import { readDraft, writeDraft } from "../state/preferences.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { composed } from "./compose.ts";
import type { CommandOrigin } from "./command-source.ts";
import { CommandMenu } from "./command-menu.tsx";
import { ModeSelect } from "./mode-select.tsx";
import { SendButtons } from "./send-buttons.tsx";
import { type Choice, useOffer } from "./use-offer.ts";

import "./composer.css";

export interface ComposerProps {
  /** Id of the draft; empty sessions share one. */
  draftId: string;
  ready: boolean;
  running: boolean;
  waitingRequests: number;
  mode: PermissionMode;
  commands: UseCommands;
  /** Gives the source of each command; none for a session elsewhere. Keeps its identity. */
  listOrigins: () => Promise<readonly CommandOrigin[]>;
  /** Prompts that wait, for taking back the last one. */
  queue: readonly QueuedPrompt[];
  textareaRef: Ref<HTMLTextAreaElement>;
  autoFocus: boolean;
  onMode: (mode: PermissionMode) => void;
  /** May wait for the session. Rejects when the prompt was refused; the text is kept then. */
  onSend: (text: string) => Promise<void>;
  onSteer: (text: string) => Promise<void>;
  /** Runs `/name arguments`; resolves to `null` for any other text. */
  onCommand: (text: string) => Promise<CommandResult | null>;
  onStop: () => void;
  /** Gives the prompt of the last turn. */
  onRecall: () => string | undefined;
  /** Takes this prompt out of the queue. */
  onTakeBack: (prompt: QueuedPrompt) => void;
  onJumpToRequest: () => void;
  /** Called when a suggestion has put a text into the box. */
  onComposed: () => void;
}

/** The prompt's text area, and the controls of the running turn. */
export function Composer(props: ComposerProps) {
  const { ready, running, waitingRequests, mode, textareaRef, autoFocus } = props;
  const menuId = useId();
  const { text, setText, hand, problem, result, setResult } = useDraft(props);
  const { offered, chosen, activate, dismiss } = useOffer(text, props.commands, props.listOrigins);
  const active = chosen ? offered.indexOf(chosen) : -1;
  const hasText = text.trim() !== "";

  const choose = (choice: Choice) => write(choice.text);
  const send = () => void hand(props.onSend);
  const steer = () => void hand(props.onSteer);

  function write(typed: string) {
    setText(typed);
    activate(0);
    dismiss("");
  }

  function recall(event: KeyboardEvent) {
    const queued = props.queue.findLast((one) => one.displayText === undefined);
    const recalled = queued?.text ?? props.onRecall();
    if (!recalled) return;
    event.preventDefault();
    if (queued) props.onTakeBack(queued);
    setText(recalled);
  }

  /** Returns whether the menu handled the key. */
  function onMenuKey(event: KeyboardEvent, choice: Choice): boolean {
    const isWhole = text === choice.text.trim();
    if (event.key === "ArrowDown") activate((at) => (at + 1) % offered.length);
    else if (event.key === "ArrowUp") activate((at) => (at || offered.length) - 1);
    else if (event.key === "Escape") dismiss(text);
    else if (event.key === "Tab" || (event.key === "Enter" && !isWhole)) choose(choice);
    else return false;
    event.preventDefault();
    return true;
  }

  function onKeyDown(event: KeyboardEvent) {
    // While an input method composes, Enter belongs to it. Safari reports 229 for the Enter that ends it.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (chosen && onMenuKey(event, chosen)) return;
    if (event.key === "ArrowUp" && !event.altKey && text === "") recall(event);
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
      <Outcome problem={problem} result={result} onDismiss={() => setResult(undefined)} />
      <div data-part="composer-box">
        {chosen && <CommandMenu id={menuId} choices={offered} active={active} onChoose={choose} />}
        <textarea
          ref={textareaRef}
          autoFocus={autoFocus}
          aria-label="Message to the agent"
          {...(chosen && comboboxOf(menuId, active))}
          placeholder={running ? "Add to the queue…" : "Ask the agent to do something…"}
          rows={1}
          value={text}
          onChange={(event) => write(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <div data-part="composer-row">
          <ModeSelect mode={mode} disabled={!ready} onMode={props.onMode} />
          <JumpButton waiting={waitingRequests} onJump={props.onJumpToRequest} />
          <span data-part="spacer" />
          <SendButtons running={running} hasText={hasText} onSteer={steer} onStop={props.onStop} />
        </div>
      </div>
    </form>
  );
}

interface JumpButtonProps {
  /** Number of requests waiting for an answer. */
  waiting: number;
  onJump: () => void;
}

function JumpButton({ waiting, onJump }: JumpButtonProps) {
  if (waiting === 0) return null;
  return (
    <Button data-part="jump" look="bare" title="Alt+A" onClick={onJump}>
      {waiting} waiting
      <span data-part="visually-hidden">for approval: go to the request</span>
    </Button>
  );
}

/** ARIA attributes of the text area while commands are offered. */
function comboboxOf(menuId: string, active: number) {
  return {
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-expanded": true,
    "aria-controls": menuId,
    "aria-activedescendant": `${menuId}-${active}`,
  } as const;
}

/** The draft, kept over reloads, and the outcome of sending it. */
function useDraft({ draftId, onCommand, onComposed }: ComposerProps) {
  const [text, setText] = useState(() => readDraft(draftId));
  const [problem, setProblem] = useState("");
  const [result, setResult] = useState<CommandResult>();

  useEffect(() => writeDraft(draftId, text), [draftId, text]);
  useEffect(
    () =>
      composed.subscribe(() => {
        setText(composed.get()?.text ?? "");
        onComposed();
      }),
    [onComposed],
  );

  async function hand(to: (prompt: string) => Promise<void>) {
    const prompt = text.trim();
    if (!prompt) return;
    setText("");
    setProblem("");
    setResult(undefined);
    try {
      const outcome = await onCommand(prompt);
      if (!outcome) await to(prompt);
      // The conversation shows the turn of a command.
      else if (outcome.data?.["turnId"] === undefined) setResult(outcome);
    } catch (error) {
      // Text typed meanwhile is kept behind the unsent prompt. The composer may be gone with its session.
      setText((typed) => (typed ? `${prompt}\n${typed}` : prompt));
      writeDraft(draftId, prompt);
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }

  return { text, setText, hand, problem, result, setResult };
}

interface OutcomeProps {
  problem: string;
  result: CommandResult | undefined;
  onDismiss: () => void;
}

function Outcome({ problem, result, onDismiss }: OutcomeProps) {
  return (
    <>
      {problem && (
        <p data-part="composer-problem" role="alert">
          {problem}
        </p>
      )}
      {result && (
        <div data-part="command-result" data-failed={!result.success || undefined} role="status">
          <pre>{result.message}</pre>
          <IconButton label="Dismiss" icon={<X size={14} />} onClick={onDismiss} />
        </div>
      )}
    </>
  );
}
