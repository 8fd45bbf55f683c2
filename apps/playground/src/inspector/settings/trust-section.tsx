import type { InteractiveSession } from "@robota/runtime";
import type { ResolvedSettings } from "@robota/runtime/settings";
import { ShieldCheck } from "lucide-react";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { OutputBlock } from "../../ui/output-block.tsx";
import { staleSession } from "../reopen.ts";
import { Section } from "../section.tsx";
import { useBusy } from "../use-busy.ts";
import { type CommandReply, runCommand, textOf } from "../run-command.ts";

const states: Readonly<Record<ResolvedSettings["trust"], string>> = {
  trusted: "Trusted. Its settings, hooks, skills, agents and instructions are in force.",
  untrusted: "Not trusted. What it brings along isn't in force, except what only restricts.",
  "not-needed": "Nothing in this workspace needs trust.",
};

export interface TrustSectionProps {
  session: InteractiveSession;
  settings: ResolvedSettings;
}

/** The trust in what the workspace brings along: shown in full before a person says yes. */
export function TrustSection({ session, settings }: TrustSectionProps) {
  const { isBusy, problem, run } = useBusy();
  const [review, setReview] = useState<CommandReply>();
  const [done, setDone] = useState("");
  const digest = textOf(review?.data["digest"]);
  const needsAnswer = review?.data["needsConfirmation"] === true;

  async function change(args: string) {
    const reply = await runCommand(session, "trust", args);
    setReview(undefined);
    setDone(reply.message);
    staleSession.set(session);
  }

  return (
    <Section title="Workspace trust" note={done || states[settings.trust]}>
      {review && (
        <>
          <OutputBlock text={review.message} what="parts of the workspace" />
          {needsAnswer && (
            <div data-part="inspector-actions">
              <Button
                look="strong"
                icon={<ShieldCheck size={14} />}
                disabled={isBusy}
                onClick={() => run(() => change(`grant --confirm ${digest}`))}
              >
                Trust exactly this
              </Button>
              <Button onClick={() => setReview(undefined)}>Don’t trust</Button>
            </div>
          )}
        </>
      )}
      <div data-part="inspector-actions">
        {!review && (
          <Button
            disabled={isBusy}
            onClick={() => run(async () => setReview(await runCommand(session, "trust", "grant")))}
          >
            Review what it brings
          </Button>
        )}
        {settings.trust === "trusted" && (
          <Button look="danger" disabled={isBusy} onClick={() => run(() => change("revoke"))}>
            Revoke trust
          </Button>
        )}
      </div>
      {problem && (
        <p data-part="inspector-problem" role="alert">
          {problem}
        </p>
      )}
    </Section>
  );
}
