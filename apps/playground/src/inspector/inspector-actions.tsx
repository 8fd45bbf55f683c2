import { Download, Ellipsis, History, Import, Link2, MonitorPlay } from "lucide-react";
import { useRef, useState } from "react";
import { openDialog } from "../layout/open-dialog.ts";
import { useCurrentSession } from "../state/page-context.ts";
import { Button } from "../ui/button.tsx";
import { copyText } from "../ui/copy-text.ts";
import { Popover } from "../ui/popover.tsx";
import { LINK_NOTE } from "./transfer/link-note.ts";
import { useBusy } from "./use-busy.ts";

/** The inspector's head: time travel, and the ways in and out of this browser. */
export function InspectorActions() {
  const { own } = useCurrentSession();
  const { isBusy, problem, run } = useBusy();
  const [done, setDone] = useState("");
  const menu = useRef<HTMLDivElement>(null);
  const canSave = own && !isBusy;

  function save(how: "file" | "link") {
    run(async () => {
      if (!own) return;
      setDone("");
      const { downloadSession, sessionLink } = await import("./transfer/export-session.ts");
      if (how === "file") return downloadSession(own);
      const link = await sessionLink(own);
      if (await copyText(link)) return setDone(`Link copied. ${LINK_NOTE}`);
      close();
      openDialog("session-link", { link });
    });
  }

  const close = () => menu.current?.closest<HTMLElement>("[popover]")?.hidePopover();
  const open = (id: "rewind" | "replay" | "import") => () => {
    close();
    openDialog(id);
  };

  return (
    <Popover label="Session actions" button={<Ellipsis size={17} />}>
      <div ref={menu} data-part="inspector-menu">
        <Button look="bare" icon={<History size={15} />} disabled={!own} onClick={open("rewind")}>
          Rewind…
        </Button>
        <Button look="bare" icon={<MonitorPlay size={15} />} onClick={open("replay")}>
          Replay…
        </Button>
        <Button
          look="bare"
          icon={<Download size={15} />}
          disabled={!canSave}
          onClick={() => save("file")}
        >
          Export as file
        </Button>
        <Button
          look="bare"
          icon={<Link2 size={15} />}
          disabled={!canSave}
          onClick={() => save("link")}
        >
          Copy link with session
        </Button>
        <Button look="bare" icon={<Import size={15} />} onClick={open("import")}>
          Import…
        </Button>
        <p role="status" data-part="inspector-note">
          {problem || done}
        </p>
      </div>
    </Popover>
  );
}
