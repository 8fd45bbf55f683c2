import { Check, Circle, LoaderCircle } from "lucide-react";
import { useEffect } from "react";
import { announce } from "../ui/announcer.tsx";
import "./remote.css";

/** The steps of a move, in their order. */
const STEPS = ["prepare", "stop", "send", "open"] as const;

export type MoveStep = (typeof STEPS)[number];

export interface MoveStepsProps {
  step: MoveStep;
  isBack: boolean;
  /** The server as people call it. */
  host: string;
}

/** The steps of a move that is under way: done, current, and still to come. */
export function MoveSteps({ step, isBack, host }: MoveStepsProps) {
  const labels = isBack ? labelsBack(host) : labelsThere(host);
  const current = STEPS.indexOf(step);
  const label = labels[step];

  useEffect(() => announce(label), [label]);

  return (
    <ol data-part="move-steps" aria-label="Progress of the move">
      {STEPS.map((id, index) => {
        const state = index < current ? "done" : index === current ? "current" : "waiting";
        const Icon = { done: Check, current: LoaderCircle, waiting: Circle }[state];
        return (
          <li key={id} data-state={state} aria-current={index === current ? "step" : undefined}>
            <Icon size={15} aria-hidden="true" />
            {labels[id]}
          </li>
        );
      })}
    </ol>
  );
}

function labelsThere(host: string): Readonly<Record<MoveStep, string>> {
  return {
    prepare: `Prepare ${host}`,
    stop: "Stop here, once running calls have ended",
    send: "Send the session and its files",
    open: "Open it there",
  };
}

function labelsBack(host: string): Readonly<Record<MoveStep, string>> {
  return {
    prepare: `Connect to ${host}`,
    stop: "Stop there, once running calls have ended",
    send: "Fetch the session and its files",
    open: "Open it here",
  };
}
