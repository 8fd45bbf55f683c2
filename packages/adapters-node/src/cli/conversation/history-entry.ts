import { type Component, Container, Markdown, Spacer, Text } from "@earendil-works/pi-tui";
import { contentText, type HistoryEntry, type Message } from "@robota/runtime";
import type { ToolOutcome, ToolState } from "@robota/runtime/sessions";
import { printable } from "../printable.ts";
import { describeEvent } from "./described-event.ts";
import { HangingText } from "./hanging-text.ts";
import { styledDiff } from "./styled-diff.ts";
import type { Theme } from "./theme.ts";
import { type EndedTool, toolLine, toolOutput } from "./tool-line.ts";

/** The state that an entry's look depends on, beside the entry. */
export interface EntryView {
  theme: Theme;
  /** Shows outputs and changes of tools in full. */
  isExpanded: boolean;
  /** The text of a call's result. */
  resultOf: (toolCallId: string) => string;
}

/** Lines of a change that are shown unless all are. */
const DIFF_LINES = 24;

/** The look of one entry of the history; nothing for an entry that is only of use to programs. */
export function entryComponent(entry: HistoryEntry, view: EntryView): Component | undefined {
  if (entry.category === "chat") return messageComponent(entry.data as Message, view);
  if (entry.type === "tool-end") return toolComponent(entry.data as EndedTool, view);
  const { theme } = view;
  const described = describeEvent(entry);
  return described && new Text(theme[described.tone](printable(described.text)), 0, 0);
}

function messageComponent(message: Message, { theme }: EntryView): Component | undefined {
  const text = printable(contentText(message.content)).trim();
  const parts = typeof message.content === "string" ? [] : message.content;
  const names = parts.flatMap((part) => {
    if (part.type === "file") return [`[${printable(part.name ?? "file")}]`];
    return part.type === "image" ? ["[image]"] : [];
  });
  switch (message.role) {
    case "user": {
      const shown = [text, ...names].filter((piece) => piece !== "").join(" ");
      return block(new Text(`${theme.accent("›")} ${theme.bold(shown)}`, 0, 0));
    }
    case "assistant":
      return text === "" ? undefined : answer(text, theme);
    default:
      return undefined;
  }
}

/** Words of the model as Markdown. */
export function answer(text: string, theme: Theme): Component {
  return block(new Markdown(text, 0, 0, theme.markdown));
}

/** A component with an empty line above. */
function block(component: Component): Component {
  const box = new Container();
  box.addChild(new Spacer(1));
  box.addChild(component);
  return box;
}

function toolComponent(tool: EndedTool, { theme, isExpanded, resultOf }: EntryView): Component {
  const box = new Container();
  const state: ToolState = tool;
  const outcome: ToolOutcome = tool.outcome;
  box.addChild(new Text(toolLine({ ...state, outcome }, theme), 0, 0));
  const changes = outcome.changes ?? [];
  for (const change of changes) {
    const lines = styledDiff(change, theme, isExpanded ? Infinity : DIFF_LINES);
    box.addChild(new HangingText(lines, 2));
  }
  const isLooked = outcome.exitCode !== undefined || state.result === "error";
  if (changes.length === 0 && (isExpanded || isLooked)) {
    const output = toolOutput(resultOf(state.toolCallId), isExpanded);
    if (output !== "") box.addChild(new Text(theme.dim(output), 4, 0));
  }
  return box;
}
