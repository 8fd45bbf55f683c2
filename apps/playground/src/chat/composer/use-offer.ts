import type { SessionConnection } from "@robota/react/store";
import type { CommandCompletion, CommandInfo } from "@robota/runtime/sessions";
import { useEffect, useMemo, useState } from "react";
import { labelOfSource } from "../commands/command-source.ts";
import type { PageCommands } from "../commands/use-page-commands.ts";

/** One choice of the menu under a command or a mention that is being typed. */
export interface Choice {
  /** As the menu shows it: `/mode`, `plan`, or `@src/a.ts`. */
  value: string;
  description: string;
  /** Placeholder for the arguments of a command: `[mode]`. */
  hint?: string | undefined;
  /** Where a command comes from, in words. */
  source?: string | undefined;
  /** The whole text once it is chosen. */
  text: string;
  /** The cursor's place in that text. */
  cursor: number;
}

/** `@` and what was typed behind it, at the start of a word and up to the cursor. */
const MENTION = /(?<=^|[\s(])@(?:"[^"\n]*|[^\s"]*)$/;

/** The completions of the typed command or mention; the arrow keys choose one. */
export function useOffer(
  text: string,
  cursor: number,
  { match, complete, own }: PageCommands,
  session: SessionConnection | undefined,
) {
  const known = useKnown(text.startsWith("/"), session);
  const [active, activate] = useState(0);
  const [dismissed, dismiss] = useState("");
  const [found, setFound] = useState<{ text: string; at: number; choices: Choice[] }>();
  const isMention = MENTION.test(text.slice(0, cursor));
  const at = isMention ? cursor : text.length;
  const isAsked = isMention || /^\/\S+\s/.test(text);

  useEffect(() => {
    if (!isAsked) return;
    let isCurrent = true;
    complete(text, at).then(
      (completions) => {
        if (isCurrent) setFound({ text, at, choices: choicesOf(text, completions, isMention) });
      },
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [text, at, isAsked, isMention, complete]);

  const names = useMemo(
    () =>
      match(text).map(({ name, description }) => {
        const info = [...own, ...known].find((one) => one.name === name);
        return {
          value: `/${name}`,
          description,
          hint: info?.argumentHint,
          source: info && labelOfSource(info.source),
          text: `/${name} `,
          cursor: name.length + 2,
        };
      }),
    [text, match, own, known],
  );
  const isFound = found?.text === text && found.at === at;
  const choices = isAsked ? (isFound ? found.choices : []) : names;
  const offered = text === dismissed ? [] : choices;
  return {
    offered,
    chosen: offered[Math.min(active, offered.length - 1)],
    title: isMention ? "Files and agents" : "Commands",
    activate,
    dismiss,
  };
}

function choicesOf(
  text: string,
  completions: readonly CommandCompletion[],
  isMention: boolean,
): Choice[] {
  // A whole word is offered no more, so that Enter sends it. A folder is only the way to its files.
  const isWhole = ({ value, start, end }: CommandCompletion) => text.slice(start, end) === value;
  if (isMention && completions.some((one) => isWhole(one) && !one.value.endsWith("/"))) return [];
  return completions
    .filter((one) => !isWhole(one))
    .map(({ value, description, start, end }) => {
      const rest = text.slice(end);
      const taken = `${text.slice(0, start)}${value}${value.endsWith("/") || rest.startsWith(" ") ? "" : " "}`;
      return {
        value,
        description,
        source: value.startsWith("@agent-") ? "Subagent" : undefined,
        text: taken + rest,
        cursor: taken.length + (rest.startsWith(" ") && !value.endsWith("/") ? 1 : 0),
      };
    });
}

/** What the session tells about its commands, read each time that one is begun: a skill may be new. */
function useKnown(isCommand: boolean, session: SessionConnection | undefined) {
  const [known, setKnown] = useState<readonly CommandInfo[]>([]);
  useEffect(() => {
    if (!isCommand || !session) return;
    let isCurrent = true;
    session.getCommands().then(
      (listed) => isCurrent && setKnown(listed),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [isCommand, session]);
  return known;
}
