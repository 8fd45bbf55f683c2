import type { UseCommands } from "@robota/react";
import { useEffect, useState } from "react";

/** One choice of the menu under a command that is being typed. */
export interface Choice {
  /** As the menu shows it: `/mode`, or `plan`. */
  value: string;
  description: string;
  /** The whole text once it is chosen. */
  text: string;
}

/** The completions of the typed command; the arrow keys choose one. */
export function useOffer(text: string, { match, complete }: UseCommands) {
  const [active, activate] = useState(0);
  const [dismissed, dismiss] = useState("");
  const [values, setValues] = useState<{ text: string; choices: Choice[] }>();
  const hasArguments = /^\/\S+\s/.test(text);

  useEffect(() => {
    if (!hasArguments) return;
    let isCurrent = true;
    complete(text).then(
      (completions) => {
        const choices = completions.map(({ value, description, start, end }) => ({
          value,
          description,
          text: `${text.slice(0, start)}${value}${text.slice(end)} `,
        }));
        // A whole word is offered no more, so that Enter sends it.
        if (isCurrent)
          setValues({ text, choices: choices.filter((one) => one.text.trim() !== text) });
      },
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [text, hasArguments, complete]);

  const names = match(text).map(({ name, description }) => ({
    value: `/${name}`,
    description,
    text: `/${name} `,
  }));
  const choices = hasArguments ? (values?.text === text ? values.choices : []) : names;
  const offered = text === dismissed ? [] : choices;
  return { offered, chosen: offered[Math.min(active, offered.length - 1)], activate, dismiss };
}
