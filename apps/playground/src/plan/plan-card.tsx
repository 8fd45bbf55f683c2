import type { TextItem, TurnView } from "@robota/react/store";
import type { ClientSession } from "@robota/runtime/sessions";
import { ListChecks } from "lucide-react";
import { useState } from "react";
import { guidedCommands } from "../chat/start/guided-commands.ts";
import { useBusy } from "../inspector/use-busy.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { PlainOnFailure } from "../markdown/plain-on-failure.tsx";
import { usePage } from "../state/page-context.ts";
import { Button } from "../ui/button.tsx";
import "./plan.css";

/** The prompt for a model whose plan is approved. */
const GO_ON = "I approve this plan. You may make changes now: carry it out.";

export interface PlanCardProps {
  session: Pick<ClientSession, "setPermissionMode" | "submit">;
  turn: TurnView;
  plan: TextItem;
}

/** A plan that waits for a person's word: approved, it is carried out; otherwise planning goes on with their words. */
export function PlanCard({ session, turn, plan }: PlanCardProps) {
  const page = usePage();
  const { isBusy, problem, run } = useBusy();
  const [words, setWords] = useState<string>();
  const onProblem = (error: unknown) => page.reportProblem(error);

  async function approve() {
    await session.setPermissionMode("default");
    // The guide is a script: it carries out the commands of a prompt, and remembers none.
    const again = guidedCommands(turn.prompt)?.commands ?? turn.prompt;
    const isScript = turn.provider === "offline";
    session.submit(isScript ? again : GO_ON, isScript ? undefined : GO_ON).catch(onProblem);
  }

  return (
    <section data-part="plan" data-item={plan.id} aria-label="Plan">
      <h3>
        <ListChecks size={15} aria-hidden="true" />
        Plan
      </h3>
      <PlainOnFailure text={plan.text}>
        <Markdown text={plan.text} streaming={false} />
      </PlainOnFailure>
      {problem && (
        <p data-part="composer-problem" role="alert">
          {problem}
        </p>
      )}
      {words === undefined ? (
        <footer>
          <Button look="primary" disabled={isBusy} onClick={() => run(approve)}>
            Approve
          </Button>
          <Button onClick={() => setWords("")}>Keep planning…</Button>
          <p>Approving leaves plan mode. Changes are asked for one by one.</p>
        </footer>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (words.trim()) session.submit(words.trim()).catch(onProblem);
          }}
        >
          <input
            autoFocus
            dir="auto"
            aria-label="What should change in the plan"
            placeholder="What should change?"
            value={words}
            onChange={(event) => setWords(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              event.preventDefault();
              setWords(undefined);
            }}
          />
          <Button look="bare" onClick={() => setWords(undefined)}>
            Cancel
          </Button>
          <Button type="submit" look="primary" disabled={words.trim() === ""}>
            Send
          </Button>
        </form>
      )}
    </section>
  );
}
