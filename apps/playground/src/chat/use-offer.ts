import type { UseCommands } from "@robota/react";
import { useEffect, useState } from "react";
import { type CommandOrigin, labelOfSource } from "./command-source.ts";

/** One choice of the menu under a command that is being typed. */
export interface Choice {
  /** As the menu shows it: `/mode`, or `plan`. */
  value: string;
  description: string;
  /** Placeholder for the arguments of a command: `[mode]`. */
  hint?: string | undefined;
  /** Where a command comes from, in words. */
  source?: string | undefined;
  /** The whole text once it is chosen. */
  text: string;
}

/** The completions of the typed command; the arrow keys choose one. */
export function useOffer(
  text: string,
  { match, complete }: UseCommands,
  listOrigins: () => Promise<readonly CommandOrigin[]>,
) {
  const origins = useOrigins(text.startsWith("/"), listOrigins);
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

  const names = match(text).map(({ name, description }) => {
    const origin = origins.find((one) => one.name === name);
    return {
      value: `/${name}`,
      description,
      hint: origin?.argumentHint,
      source: origin && labelOfSource(origin.source),
      text: `/${name} `,
    };
  });
  const choices = hasArguments ? (values?.text === text ? values.choices : []) : names;
  const offered = text === dismissed ? [] : choices;
  return { offered, chosen: offered[Math.min(active, offered.length - 1)], activate, dismiss };
}

/** The session's commands, read each time that one is begun: a skill may be new. */
function useOrigins(isCommand: boolean, list: () => Promise<readonly CommandOrigin[]>) {
  const [origins, setOrigins] = useState<readonly CommandOrigin[]>([]);
  useEffect(() => {
    if (!isCommand) return;
    let isCurrent = true;
    list().then(
      (listed) => isCurrent && setOrigins(listed),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [isCommand, list]);
  return origins;
}
