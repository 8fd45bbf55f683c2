import { useSession } from "@robota/react";
import { Undo2 } from "lucide-react";
import { memo } from "react";
import type { Divider, SessionConnection } from "@robota/react/store";
import { Markdown } from "../../markdown/markdown.tsx";
import { PlainOnFailure } from "../../markdown/plain-on-failure.tsx";
import { useIsQuiet } from "../../prompt/use-versions.ts";
import { useRevealed } from "../../search/use-revealed.ts";
import { useKeptOpen } from "../../state/kept.ts";
import { useCurrentSession, usePage } from "../../state/page-context.ts";
import { Button } from "../../ui/button.tsx";

export interface DividerViewProps {
  /** The session that it is a mark of; missing in a replay. */
  session?: SessionConnection | undefined;
  divider: Divider;
}

/** Undoes a rewind, however long ago it was, and only while the session knows the way back. */
function UndoRewind({ markId }: { markId: string }) {
  const { session, own } = useCurrentSession();
  const page = usePage();
  const { isRunning } = useSession(session);
  const isKnown = own?.checkpoints().some(({ id }) => id === markId);
  if (!own || !isKnown) return null;
  return (
    <Button
      look="bare"
      icon={<Undo2 size={14} />}
      disabled={isRunning}
      onClick={() => void own.rewind(markId).catch((error: unknown) => page.reportProblem(error))}
    >
      Undo
    </Button>
  );
}

export const DividerView = memo(function DividerView({ session, divider }: DividerViewProps) {
  const [open = false, setOpen] = useKeptOpen(divider.id);
  useRevealed(divider.id, () => setOpen(true));
  if (useIsQuiet(session, divider.id)) return null;
  return (
    <div data-part="divider" data-entry={divider.id} data-item={divider.id}>
      {divider.detail ? (
        <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{divider.label}</summary>
          <div>
            <PlainOnFailure text={divider.detail}>
              <Markdown text={divider.detail} streaming={false} />
            </PlainOnFailure>
          </div>
        </details>
      ) : (
        <span>
          {divider.label}
          {session && divider.id.startsWith("rewind-") && <UndoRewind markId={divider.id} />}
        </span>
      )}
    </div>
  );
});
