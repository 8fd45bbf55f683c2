import { BadgeCheck, GitFork } from "lucide-react";
import { useState } from "react";
import { useBusy } from "../inspector/use-busy.ts";
import { useCurrentSession, usePage } from "../state/page-context.ts";
import { Button } from "../ui/button.tsx";
import { forkAt } from "./fork-at.ts";
import { verify } from "./verify.ts";

export interface ReplayActionsProps {
  sessionId: string;
  /** Number of the event at the point; missing before the first. */
  seq: number | undefined;
  onClose: () => void;
}

/** Actions on a recording: fork it here, and verify it. */
export function ReplayActions({ sessionId, seq, onClose }: ReplayActionsProps) {
  const page = usePage();
  const { local } = useCurrentSession();
  const { isBusy, problem, run } = useBusy();
  const [verdict, setVerdict] = useState<{ text: string; isSame: boolean }>();

  async function fork() {
    if (seq === undefined) return;
    const open = local?.sessionId === sessionId ? local : undefined;
    const id = await forkAt(await page.whenHost(), { sessionId, seq, open });
    onClose();
    await page.open(id);
  }

  async function check() {
    setVerdict(await verify(await page.whenHost(), sessionId));
  }

  return (
    <footer data-part="inspector-actions">
      <Button
        icon={<GitFork size={14} />}
        disabled={isBusy || seq === undefined}
        onClick={() => run(fork)}
      >
        Fork here
      </Button>
      <Button icon={<BadgeCheck size={14} />} disabled={isBusy} onClick={() => run(check)}>
        Verify
      </Button>
      <span
        role="status"
        data-part="replay-verdict"
        data-same={verdict && !problem ? verdict.isSame : undefined}
      >
        {problem || (isBusy ? "Working…" : verdict?.text)}
      </span>
    </footer>
  );
}
