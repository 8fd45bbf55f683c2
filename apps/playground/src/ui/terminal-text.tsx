import { useMemo } from "react";
import { ansiSpans } from "./ansi.ts";
import { Exact } from "./exact-text.tsx";

export interface TerminalTextProps {
  text: string;
  /** Shows every sequence that is no colour, instead of dropping it. */
  isExact?: boolean;
}

/** Output of a program, with its colours. Invisible characters are escaped. */
export function TerminalText({ text, isExact = false }: TerminalTextProps) {
  const spans = useMemo(() => ansiSpans(text, { keepsOthers: isExact }), [text, isExact]);
  return spans.map(({ text: part, color, bold, dim, underline }, index) => (
    <span key={index} data-ansi={color} data-bold={bold} data-dim={dim} data-underline={underline}>
      <Exact text={part} />
    </span>
  ));
}
