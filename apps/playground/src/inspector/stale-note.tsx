import { useReadable } from "@robota/react";
import { RotateCw } from "lucide-react";
import { useCurrentSession, usePage } from "../state/page-context.ts";
import { Button } from "../ui/button.tsx";
import { reopen, staleSession } from "./reopen.ts";
import { useBusy } from "./use-busy.ts";

/** Says that changed settings wait for the session to be opened again, and does it. */
export function StaleNote() {
  const page = usePage();
  const { local } = useCurrentSession();
  const stale = useReadable(staleSession);
  const { run, problem } = useBusy();
  if (!local || stale !== local) return null;
  return (
    <div data-part="inspector-banner" role="status">
      <p>{problem || "Applies to new sessions, and to this one once it is reopened."}</p>
      <Button icon={<RotateCw size={14} />} onClick={() => run(() => reopen(page, local))}>
        Reopen session
      </Button>
    </div>
  );
}
