import { useSession } from "@robota/react";
import type { TurnView } from "@robota/react/store";
import { GitFork, Pencil } from "lucide-react";
import { useRef, useState } from "react";
import { AttachmentChips } from "../chat/attachments/attachment-chips.tsx";
import { guidedCommands } from "../chat/start/guided-commands.ts";
import { useKeptText } from "../state/kept.ts";
import { useCurrentSession, usePage } from "../state/page-context.ts";
import { IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { PromptEditor } from "./prompt-editor.tsx";
import { forkAfter } from "./send-again.ts";
import { useVersions } from "./use-versions.ts";
import { VersionSwitch } from "./version-switch.tsx";
import "./prompt.css";

/** A person's message, with what can be done to it: by buttons, and by keys while the turn has the focus. */
export function PromptView({ turn }: { turn: TurnView }) {
  const { session, own } = useCurrentSession();
  const [edited, setEdited] = useKeptText(`edit:${turn.id}`);
  /** False for an editor that was left open: the person may be typing elsewhere when it is back. */
  const [isAsked, setAsked] = useState(false);
  const actions = useRef<HTMLDivElement>(null);
  const { isRunning } = useSession(session);
  const versions = useVersions(session, turn.id);
  const page = usePage();

  /** The focus would be lost with the editor. */
  function close() {
    setEdited(undefined);
    requestAnimationFrame(() => actions.current?.closest("article")?.focus());
  }

  function edit() {
    setAsked(true);
    // The title of a card is for people.
    setEdited(guidedCommands(turn.prompt)?.commands ?? turn.prompt);
  }

  if (edited !== undefined && own) {
    return (
      <PromptEditor
        session={own}
        turn={turn}
        text={edited}
        autoFocus={isAsked}
        onText={setEdited}
        onSent={() => setEdited(undefined)}
        onClose={close}
      />
    );
  }
  return (
    <>
      <div data-part="prompt" data-item={turn.id} dir="auto">
        {turn.prompt}
        {turn.attachments && <AttachmentChips attachments={turn.attachments} />}
      </div>
      <div ref={actions} data-part="prompt-actions">
        {versions && own && (
          <VersionSwitch session={own} turnId={turn.id} versions={versions} disabled={isRunning} />
        )}
        {own && (
          <IconButton
            data-size="small"
            label="Edit and send again"
            title="Edit and send again (E)"
            aria-keyshortcuts="E"
            icon={<Pencil size={14} />}
            disabled={isRunning}
            onClick={edit}
          />
        )}
        {turn.prompt && <CopyButton text={turn.prompt} what="message" shortcut="C" />}
        {own && (
          <IconButton
            data-size="small"
            label="Fork after this turn"
            title="Fork after this turn (F)"
            aria-keyshortcuts="F"
            icon={<GitFork size={14} />}
            disabled={turn.state === "running"}
            onClick={() =>
              void forkAfter(page, own, turn.id).catch((error: unknown) =>
                page.reportProblem(error),
              )
            }
          />
        )}
      </div>
    </>
  );
}
