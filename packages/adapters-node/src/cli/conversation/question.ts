import {
  type AutocompleteProvider,
  Container,
  Editor,
  matchesKey,
  Text,
  type TUI,
} from "@earendil-works/pi-tui";
import type { Theme } from "./theme.ts";

export interface QuestionOptions {
  tui: TUI;
  theme: Theme;
  title: string;
  /** Text to begin with. */
  initial?: string | undefined;
  completions?: AutocompleteProvider | undefined;
  onAnswer: (text: string) => void;
  onCancel: () => void;
}

/** A question that is answered in words. */
export class Question extends Container {
  readonly #editor: Editor;
  readonly #onCancel: () => void;

  constructor(options: QuestionOptions) {
    const { tui, theme, title, initial = "", completions, onAnswer, onCancel } = options;
    super();
    this.#onCancel = onCancel;
    this.#editor = new Editor(tui, theme.editor);
    this.#editor.setText(initial);
    this.#editor.onSubmit = onAnswer;
    if (completions) this.#editor.setAutocompleteProvider(completions);
    this.addChild(new Text(theme.bold(title), 0, 0));
    this.addChild(this.#editor);
    this.addChild(new Text(theme.dim("Enter to confirm · Esc to go back"), 0, 0));
  }

  /** Set by the terminal's owner; the cursor is the editor's. */
  get focused(): boolean {
    return this.#editor.focused;
  }
  set focused(isFocused: boolean) {
    this.#editor.focused = isFocused;
  }

  handleInput(data: string): void {
    if (matchesKey(data, "escape") && !this.#editor.isShowingAutocomplete()) this.#onCancel();
    else this.#editor.handleInput(data);
  }
}
