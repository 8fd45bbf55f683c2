import { memo } from "react";
import type { Divider, SessionConnection } from "@robota/react/store";
import { Markdown } from "../../markdown/markdown.tsx";
import { PlainOnFailure } from "../../markdown/plain-on-failure.tsx";
import { useIsQuiet } from "../../prompt/use-versions.ts";
import { useRevealed } from "../../search/use-revealed.ts";
import { useKeptOpen } from "../../state/kept.ts";

export interface DividerViewProps {
  /** The session that it is a mark of; missing in a replay. */
  session?: SessionConnection | undefined;
  divider: Divider;
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
        <span>{divider.label}</span>
      )}
    </div>
  );
});
