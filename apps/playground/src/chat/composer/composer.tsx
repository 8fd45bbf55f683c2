import type { SessionConnection } from "@robota/react/store";
import type { PermissionMode } from "@robota/runtime";
import type { Attachment, CommandResult, QueuedPrompt } from "@robota/runtime/sessions";
import { Paperclip, X } from "lucide-react";
import type { RefCallback } from "react";
import { AttachmentChips } from "../../lazy.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { FilePickerButton } from "../../ui/file-picker-button.tsx";
import { RegionBoundary } from "../../ui/region-boundary.tsx";
import type { PageCommands } from "../commands/use-page-commands.ts";
import { MessageBox } from "./message-box.tsx";
import { ModeSelect } from "./mode-select.tsx";
import { SendButtons } from "./send-buttons.tsx";
import { useDraft } from "./use-draft.ts";
import { FreeSpaceButton } from "../../workspaces/free-space-button.tsx";

import "./composer.css";

export interface ComposerProps {
  /** Id of the draft; new sessions share one. */
  draftId: string;
  /** Absent until it is open. */
  session: SessionConnection | undefined;
  /** True when the session is on a server, which takes less with a message. */
  isRemote: boolean;
  running: boolean;
  waitingRequests: number;
  mode: PermissionMode;
  commands: PageCommands;
  /** Prompts that wait, for taking back the last one. */
  queue: readonly QueuedPrompt[];
  textareaRef: RefCallback<HTMLTextAreaElement>;
  autoFocus: boolean;
  onMode: (mode: PermissionMode) => void;
  /** May wait for the session. Rejects when the prompt was refused; the text is kept then. */
  onSend: (text: string, attachments: readonly Attachment[]) => Promise<void>;
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

/** The prompt's text area with its attachments, and the controls of the running turn. */
export function Composer(props: ComposerProps) {
  const { session, running, waitingRequests, mode, commands, autoFocus } = props;
  const draft = useDraft(props);
  const { text, setText, hand, problem, isFull, result, setResult, files, hasFiles } = draft;
  const { attachments, beingRead } = files;

  const send = () => void hand(props.onSend);
  // A running turn takes no files: a message with some waits for its end.
  const steer = () => void hand(hasFiles ? props.onSend : props.onSteer);

  function recall(): string | undefined {
    const queued = props.queue.findLast((one) => one.displayText === undefined);
    if (!queued) return props.onRecall();
    props.onTakeBack(queued);
    files.setAttachments((now) => [...(queued.attachments ?? []), ...now]);
    return queued.text;
  }

  return (
    <form
      data-part="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Outcome
        problem={problem}
        isFull={isFull}
        result={result}
        onDismiss={() => setResult(undefined)}
      />
      <div data-part="composer-box" data-over={files.isOver || undefined} {...files.dropping}>
        {attachments.length > 0 && (
          <RegionBoundary name="The attachments">
            <AttachmentChips attachments={attachments} onRemove={files.remove} />
          </RegionBoundary>
        )}
        {beingRead.length > 0 && (
          <p data-part="attachments-read" role="status">
            Reading {beingRead.length === 1 ? beingRead[0]?.name : `${beingRead.length} files`}…
          </p>
        )}
        <MessageBox
          text={text}
          onText={setText}
          placeholder={placeholderOf(running, hasFiles)}
          running={running}
          autoFocus={autoFocus}
          session={session}
          commands={commands}
          textareaRef={props.textareaRef}
          onSend={send}
          onSteer={steer}
          onRecall={recall}
          onPaste={files.onPaste}
        />
        <div data-part="composer-row">
          <FilePickerButton
            label="Attach pictures or files"
            icon={<Paperclip size={16} />}
            onFiles={files.add}
          />
          <ModeSelect mode={mode} disabled={!session} onMode={props.onMode} />
          <JumpButton waiting={waitingRequests} onJump={props.onJumpToRequest} />
          <span data-part="spacer" />
          <SendButtons
            running={running}
            canSend={text.trim() !== "" || hasFiles}
            canSteer={!hasFiles}
            onSteer={steer}
            onStop={props.onStop}
          />
        </div>
      </div>
    </form>
  );
}

function placeholderOf(running: boolean, hasFiles: boolean): string {
  if (hasFiles) return "Say what to do with it…";
  return running ? "Add to the queue…" : "Ask the agent to do something…";
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

interface OutcomeProps {
  problem: string;
  /** The problem is that nothing more can be stored. */
  isFull: boolean;
  result: CommandResult | undefined;
  onDismiss: () => void;
}

function Outcome({ problem, isFull, result, onDismiss }: OutcomeProps) {
  return (
    <>
      {problem && (
        <div data-part="composer-problem" role="alert">
          <p>{problem}</p>
          {isFull && <FreeSpaceButton />}
        </div>
      )}
      {result && (
        <div data-part="command-result" data-failed={!result.success || undefined} role="status">
          <pre tabIndex={0} aria-label="Answer of the command">
            {result.message}
          </pre>
          <IconButton label="Dismiss" icon={<X size={14} />} onClick={onDismiss} />
        </div>
      )}
    </>
  );
}
