import {
  type Component,
  Container,
  matchesKey,
  type SelectItem,
  SelectList,
  Text,
} from "@earendil-works/pi-tui";
import type { Theme } from "./theme.ts";

/** One line of a menu. */
export interface MenuItem {
  label: string;
  description?: string | undefined;
  choose: () => void;
}

export interface MenuOptions {
  theme: Theme;
  /** Lines above the choices. */
  above: readonly Component[];
  items: readonly MenuItem[];
  /** Index of the first selection; 0 when omitted. */
  selected?: number | undefined;
  /**
   * True when a person was typing as the menu came, and may be still: a digit only selects, and Enter and the further keys
   * count only behind a selection.
   */
  wasTyping?: boolean | undefined;
  /** Further keys, each with what it does. */
  keys?: Readonly<Record<string, () => void>> | undefined;
  /** One line about the keys. */
  hint: string;
  onCancel: () => void;
}

/** Choices that are visible at once. */
const ROWS = 12;

/** Numbered choices under a text: arrows or digits select, Enter chooses. Any other character goes back to the first selection. */
export class Menu extends Container {
  readonly #list: SelectList;
  readonly #options: MenuOptions;
  /** False while a key could still belong to a text that a person was typing. */
  #isSelected: boolean;

  constructor(options: MenuOptions) {
    super();
    const { above, items, selected = 0, theme, hint, onCancel, wasTyping = false } = options;
    this.#options = options;
    this.#isSelected = !wasTyping;
    const labels = items.map(({ label, description = "" }, at): SelectItem => {
      return { value: String(at), label: `${at + 1}  ${label}`, description };
    });
    const widest = Math.max(...labels.map(({ label }) => label.length));
    this.#list = new SelectList(labels, ROWS, theme.select, {
      minPrimaryColumnWidth: Math.min(widest + 2, 60),
      maxPrimaryColumnWidth: 100,
    });
    this.#list.setSelectedIndex(selected);
    this.#list.onSelect = ({ value }) => this.#isSelected && this.#choose(Number(value));
    this.#list.onCancel = onCancel;
    for (const component of above) this.addChild(component);
    this.addChild(this.#list);
    this.addChild(new Text(theme.dim(hint), 0, 0));
  }

  handleInput(data: string): void {
    const { items, selected = 0, wasTyping = false, keys = {} } = this.#options;
    const digit = /^[1-9]$/.test(data) ? Number(data) - 1 : -1;
    if (digit >= 0 && digit < items.length) {
      this.#list.setSelectedIndex(digit);
      this.#isSelected = true;
      if (!wasTyping) this.#choose(digit);
    } else if (keys[data] && this.#isSelected) keys[data]();
    else if (/^[^\p{Cc}]+$/u.test(data)) {
      this.#list.setSelectedIndex(selected);
      this.#isSelected = !wasTyping;
    } else {
      if (matchesKey(data, "up") || matchesKey(data, "down")) this.#isSelected = true;
      this.#list.handleInput(data);
    }
  }

  #choose(at: number): void {
    this.#options.items[at]?.choose();
  }
}
