import { type Component, Container, Text } from "@earendil-works/pi-tui";
import { contentText, type HistoryEntry, type Message } from "@robota/runtime";
import { entryComponent } from "./history-entry.ts";
import type { Theme } from "./theme.ts";

/** Entries of a resumed session that are shown: a terminal's own scrollback rarely has more. */
const SHOWN_AT_FIRST = 200;

/** The history of a session, as components. It is brought up to date entry by entry, and made anew after a rewind. */
export class Transcript extends Container {
  readonly #theme: Theme;
  #shown: readonly HistoryEntry[] = [];
  /** Index of the first entry that is shown. */
  #from = 0;
  #above: readonly Component[] = [];
  #isExpanded = false;
  readonly #results = new Map<string, string>();

  constructor(theme: Theme) {
    super();
    this.#theme = theme;
  }

  /** Begins with these lines, and with nothing of a session. */
  begin(lines: readonly Component[]): void {
    this.#above = lines;
    this.#begin([]);
  }

  /** Shows this history. */
  show(history: readonly HistoryEntry[]): void {
    if (history === this.#shown) return;
    if (!this.#continues(history)) this.#begin(history);
    for (const entry of history.slice(Math.max(this.#shown.length, this.#from))) this.#add(entry);
    this.#shown = history;
  }

  /** Shows outputs of tools in full, or in brief again. */
  toggleDetails(): void {
    this.#isExpanded = !this.#isExpanded;
    const history = this.#shown;
    const from = this.#from;
    this.#begin([]);
    this.#from = from;
    for (const entry of history.slice(from)) this.#add(entry);
    this.#shown = history;
  }

  /** A line that belongs to no entry, such as the answer of a command. */
  note(component: Component): void {
    this.addChild(component);
  }

  #continues(history: readonly HistoryEntry[]): boolean {
    const last = this.#shown.at(-1);
    return last !== undefined && history[this.#shown.length - 1]?.id === last.id;
  }

  #begin(history: readonly HistoryEntry[]): void {
    this.clear();
    for (const line of this.#above) this.addChild(line);
    this.#results.clear();
    this.#shown = [];
    this.#from = Math.max(0, history.length - SHOWN_AT_FIRST);
    if (this.#from > 0) {
      const earlier = `… ${this.#from} earlier entries`;
      this.addChild(new Text(this.#theme.dim(earlier), 0, 0));
    }
  }

  #add(entry: HistoryEntry): void {
    if (entry.type === "tool") this.#keepResult(entry.data as Message);
    const component = entryComponent(entry, {
      theme: this.#theme,
      isExpanded: this.#isExpanded,
      resultOf: (id) => this.#results.get(id) ?? "",
    });
    if (component) this.addChild(component);
  }

  #keepResult(message: Message): void {
    if (message.role === "tool")
      this.#results.set(message.toolCallId, contentText(message.content));
  }
}
