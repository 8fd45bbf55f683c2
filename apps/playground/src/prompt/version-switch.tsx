import type { ClientSession } from "@robota/runtime/sessions";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useEffect, useRef } from "react";
import { usePage } from "../state/page-context.ts";
import { announce } from "../ui/announcer.tsx";
import { IconButton } from "../ui/button.tsx";
import type { TurnVersions, Version } from "./versions.ts";

/** The turn that a switch leads to: the one there takes the focus over. */
let arriving: string | undefined;

export interface VersionSwitchProps {
  session: Pick<ClientSession, "rewind">;
  turnId: string;
  versions: TurnVersions;
  /** A turn that runs can't be left. */
  disabled: boolean;
}

/** Goes to the versions of a message before and after the shown one, with all that follows them and with their files. */
export function VersionSwitch({ session, turnId, versions, disabled }: VersionSwitchProps) {
  const page = usePage();
  const group = useRef<HTMLDivElement>(null);
  const { position, count, previous, next } = versions;

  useEffect(() => {
    if (arriving !== turnId) return;
    arriving = undefined;
    group.current?.querySelector<HTMLElement>("button:enabled")?.focus();
    announce(`Version ${position} of ${count}`);
  }, [turnId, position, count]);

  function go({ turnId: target, checkpointId }: Version) {
    if (checkpointId === undefined) return;
    arriving = target;
    session.rewind(checkpointId).catch((error: unknown) => {
      arriving = undefined;
      page.reportProblem(error);
    });
  }

  return (
    <div ref={group} role="group" aria-label="Versions of this message" data-part="versions">
      <IconButton
        data-size="small"
        label="Previous version"
        icon={<ChevronLeft size={14} />}
        disabled={disabled || !previous}
        onClick={() => previous && go(previous)}
      />
      <span>
        {position} / {count}
      </span>
      <IconButton
        data-size="small"
        label="Next version"
        icon={<ChevronRight size={14} />}
        disabled={disabled || !next}
        onClick={() => next && go(next)}
      />
    </div>
  );
}
