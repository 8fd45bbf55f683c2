import type { SessionPlace } from "@robota/runtime/sessions";
import { Cloud, Copy, Download, GitFork, MoreHorizontal } from "lucide-react";
import { openDialog } from "../layout/open-dialog.ts";
import { useHost, usePage } from "../state/page-context.ts";
import { Button } from "../ui/button.tsx";
import { Popover } from "../ui/popover.tsx";
import { downloadStored, duplicateSession, forkAtEnd } from "./copies.ts";
import "./session-menu.css";

export interface SessionMenuProps {
  id: string;
  title: string;
  /** Where it goes on, once it was handed over. */
  movedTo: SessionPlace | undefined;
  /** Called when another session was opened. */
  onDone: (() => void) | undefined;
}

/** Further actions on a session of the list. */
export function SessionMenu({ id, title, movedTo, onDone }: SessionMenuProps) {
  const page = usePage();
  const host = useHost();
  if (!host) return null;

  function run(button: HTMLElement, work: Promise<string | void>) {
    button.closest<HTMLElement>("[popover]")?.hidePopover();
    work
      .then(async (opened) => {
        if (opened) {
          onDone?.();
          await page.open(opened);
        }
      })
      .catch((error: unknown) => page.reportProblem(error));
  }

  return (
    <Popover label={`More for ${title}`} button={<MoreHorizontal size={15} />}>
      <div data-part="session-menu">
        <Button
          look="bare"
          icon={<GitFork size={15} />}
          onClick={(event) => run(event.currentTarget, forkAtEnd(host, id, title))}
        >
          Fork with its own files
        </Button>
        <Button
          look="bare"
          icon={<Copy size={15} />}
          onClick={(event) => run(event.currentTarget, duplicateSession(host, id, title))}
        >
          Duplicate
        </Button>
        <Button
          look="bare"
          icon={<Download size={15} />}
          onClick={(event) => run(event.currentTarget, downloadStored(host, id))}
        >
          Export
        </Button>
        <Button
          look="bare"
          icon={<Cloud size={15} />}
          onClick={(event) => {
            event.currentTarget.closest<HTMLElement>("[popover]")?.hidePopover();
            onDone?.();
            openDialog("move", { direction: "there", id, title });
          }}
        >
          {movedTo ? "Finish moving, or keep it here…" : "Continue on a server…"}
        </Button>
      </div>
    </Popover>
  );
}
