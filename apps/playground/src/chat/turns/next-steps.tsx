import type { TurnView } from "@robota/react/store";
import { Code, Play, RotateCcw, Sparkles } from "lucide-react";
import { type ReactNode, useState } from "react";
import { actions } from "../../layout/actions.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import { usePage } from "../../state/page-context.ts";
import { Button } from "../../ui/button.tsx";
import { composeText } from "../composer/compose.ts";
import { guidedCommands } from "../start/guided-commands.ts";
import { sessionCode } from "./session-code.ts";
import { endingOf, suggestionsIn } from "./turn-ending.ts";

export interface NextStepsProps {
  /** The last turn, which has ended. */
  turn: TurnView;
  /** Sends a prompt of the turn once more. */
  onAgain: (turn: TurnView) => void;
}

/** Suggestions after the last turn. */
export function NextSteps({ turn, onAgain }: NextStepsProps) {
  const [showsCode, setShowsCode] = useState(false);
  const isGuided = turn.provider === "offline" && guidedCommands(turn.prompt) !== undefined;
  const suggestions = suggestionsIn(turn);

  if (turn.state === "failed" || turn.state === "interrupted")
    return (
      <div data-part="next-steps">
        <Button icon={<RotateCcw size={14} />} onClick={() => onAgain(turn)}>
          Try again
        </Button>
      </div>
    );
  if (suggestions.length > 0)
    return (
      <div data-part="next-steps" role="group" aria-label="Suggestions">
        {suggestions.map((usage) => (
          <Button key={usage} onClick={() => composeText(usage)}>
            {usage}
          </Button>
        ))}
        <PageAction id="open-providers" label="Use a real model" icon={<Sparkles size={14} />} />
      </div>
    );
  if (!isGuided) return null;
  return (
    <div data-part="next-steps" role="group" aria-label="What to try next">
      <p>{endingOf(turn)}</p>
      <PageAction id="replay" label="Replay this" icon={<Play size={14} />} />
      <PageAction id="open-providers" label="Try with a real model" icon={<Sparkles size={14} />} />
      <Button
        icon={<Code size={14} />}
        aria-expanded={showsCode}
        onClick={() => setShowsCode(!showsCode)}
      >
        Show the code
      </Button>
      {showsCode && <Markdown text={sessionCode(turn)} streaming={false} />}
    </div>
  );
}

/** A button for an action of the page; nothing where the page has none of that name. */
function PageAction({ id, label, icon }: { id: string; label: string; icon: ReactNode }) {
  const page = usePage();
  const action = actions.find((one) => one.id === id);
  if (!action) return null;
  return (
    <Button icon={icon} onClick={() => action.run(page)}>
      {label}
    </Button>
  );
}
