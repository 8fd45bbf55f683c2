// @earendil-works/pi-tui (MIT, 0.9 MB of code, Node 22.19 and later) draws the conversation: it has what a terminal asks for and
// node:readline lacks (an editor of several lines with bracketed paste, undo and menus, the width of CJK characters and
// emoji, drawing of changed lines only, Markdown). Ink, the other library of this kind that is kept up, has no such
// editor, and brings React. It is loaded with the conversation alone, so that `robota -p` does not wait for it.
import {
  type Component,
  Container,
  Editor,
  ProcessTerminal,
  setCapabilityOverrides,
  Spacer,
  Text,
  TuiMainScreen,
} from "@earendil-works/pi-tui";
import { LiveTurn } from "./live-turn.ts";
import { RunningLine } from "./status-line.ts";
import type { Theme } from "./theme.ts";
import { Transcript } from "./transcript.ts";

/** The parts of the conversation on the terminal, from top to bottom. */
export class Screen {
  readonly tui: TuiMainScreen;
  readonly theme: Theme;
  readonly transcript: Transcript;
  readonly live: LiveTurn;
  readonly running: RunningLine;
  readonly waiting = new Text("", 0, 0);
  readonly editor: Editor;
  readonly footer = new Text("", 0, 0);
  readonly #hint = new Text("", 0, 0);
  readonly #unpainted: ReturnType<TuiMainScreen["captureRenderState"]>;
  /** The place of the prompt, and of dialogs instead of it. */
  readonly #dock = new Container();
  #dialog: Component | undefined;
  /** Called when the prompt is there again. */
  onDialogClosed: (() => void) | undefined;

  constructor(theme: Theme) {
    // Words of a model could name one address and lead to another.
    setCapabilityOverrides({ hyperlinks: false, images: null });
    this.theme = theme;
    this.tui = new TuiMainScreen(new ProcessTerminal());
    this.#unpainted = this.tui.captureRenderState();
    this.transcript = new Transcript(theme);
    this.live = new LiveTurn(theme);
    this.running = new RunningLine(theme, () => this.draw());
    this.editor = new Editor(this.tui, theme.editor, { autocompleteMaxVisible: 8 });
    this.#dock.addChild(this.editor);
    const above = [this.transcript, this.live, new Spacer(1), this.waiting, this.running];
    for (const part of [...above, this.#dock, this.#hint, this.footer]) this.tui.addChild(part);
  }

  /** Draws the parts before input is read, so that nothing asks the terminal what it can do. */
  paint(): void {
    this.tui.setFocus(this.editor);
    this.tui.renderNow();
  }

  /** Takes away what was painted. */
  erase(): void {
    const { terminal } = this.tui;
    terminal.moveBy(-this.tui.captureRenderState().hardwareCursorRow);
    terminal.write("\r");
    terminal.clearFromCursor();
    terminal.showCursor();
    this.tui.restoreRenderState(this.#unpainted);
  }

  start(): void {
    this.tui.start();
    this.tui.setFocus(this.editor);
  }

  /** Gives the terminal back; what is on it stays. */
  stop(): void {
    this.running.stop();
    this.hint("");
    this.footer.setText("");
    this.tui.renderNow();
    this.tui.stop();
    // It was raw when the screen started, if it was painted before.
    process.stdin.setRawMode(false);
  }

  draw(): void {
    this.tui.requestRender();
  }

  get hasDialog(): boolean {
    return this.#dialog !== undefined;
  }

  /** Shows a dialog in place of the prompt, or of the dialog before. */
  showDialog(dialog: Component): void {
    this.#replaceDock(dialog);
    this.#dialog = dialog;
  }

  closeDialog(): void {
    if (!this.#dialog) return;
    this.#dialog = undefined;
    this.#replaceDock(this.editor);
    this.onDialogClosed?.();
  }

  /** A line below the prompt about what a key would do now. */
  hint(text: string): void {
    this.#hint.setText(text === "" ? "" : this.theme.warning(text));
    this.draw();
  }

  /** Adds lines to the transcript that the session's history lacks. */
  note(text: string, tone: "dim" | "warning" | "error" = "dim"): void {
    this.add(new Text(this.theme[tone](text), 0, 0));
  }

  /** The same for a component. */
  add(component: Component): void {
    this.transcript.note(component);
    this.draw();
  }

  #replaceDock(component: Component): void {
    this.#dock.clear();
    this.#dock.addChild(component);
    this.tui.setFocus(component);
    this.draw();
  }
}
