import { type Component, Container, Text } from "@earendil-works/pi-tui";
import type { ToolState } from "@robota/runtime/sessions";
import { printable } from "../printable.ts";
import { answer } from "./history-entry.ts";
import type { Theme } from "./theme.ts";
import { calledTool } from "./tool-line.ts";

/** Characters of a running tool's output that are kept for its last lines. */
const OUTPUT_TAIL = 2000;
const OUTPUT_LINES = 3;

/** The part that is not in the history yet: streaming words, and running calls with the end of their output. */
export class LiveTurn extends Container {
  readonly #theme: Theme;
  readonly #outputs = new Map<string, string>();
  #words = "";
  #answer: Component | undefined;
  #tools: readonly ToolState[] = [];

  constructor(theme: Theme) {
    super();
    this.#theme = theme;
  }

  /** The words so far. They are parsed when they are drawn, which is once for all that came since. */
  setWords(words: string): void {
    if (words === this.#words) return;
    this.#words = words;
    this.#answer = undefined;
  }

  setTools(tools: readonly ToolState[]): void {
    this.#tools = tools;
    if (tools.length === 0) this.#outputs.clear();
  }

  addOutput(toolCallId: string, text: string): void {
    const before = this.#outputs.get(toolCallId) ?? "";
    this.#outputs.set(toolCallId, `${before}${text}`.slice(-OUTPUT_TAIL));
  }

  override render(width: number): string[] {
    this.clear();
    if (this.#words.trim() !== "")
      this.addChild((this.#answer ??= answer(printable(this.#words).trim(), this.#theme)));
    for (const tool of this.#tools) this.addChild(this.#running(tool));
    return super.render(width);
  }

  #running({ toolCallId, toolName, firstArg }: ToolState): Component {
    const line = `${this.#theme.accent("▸")} ${calledTool(toolName, firstArg, this.#theme)}`;
    const tail = (this.#outputs.get(toolCallId) ?? "").trimEnd().split("\n").slice(-OUTPUT_LINES);
    const output = tail.map((text) => `    ${printable(text).replaceAll("\t", "    ")}`);
    const isQuiet = tail.join("") === "";
    return new Text(isQuiet ? line : `${line}\n${this.#theme.dim(output.join("\n"))}`, 0, 0);
  }
}
