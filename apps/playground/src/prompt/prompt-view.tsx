import { useSession } from "@robota/react";
import type { TurnView } from "@robota/react/store";
import { GitFork, Pencil } from "lucide-react";
import { useRef, useState } from "react";
import { AttachmentChips } from "../chat/attachments/attachment-chips.tsx";
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
  const [isEditing, edit] = useState(false);
  const actions = useRef<HTMLDivElement>(null);
  const { isRunning } = useSession(session);
  const versions = useVersions(session, turn.id);
  const page = usePage();

  /** The focus would be lost with the editor. */
  function close() {
    edit(false);
    requestAnimationFrame(() => actions.current?.closest("article")?.focus());
  }

  if (isEditing && own) return <PromptEditor session={own} turn={turn} onClose={close} />;
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
            onClick={() => edit(true)}
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
