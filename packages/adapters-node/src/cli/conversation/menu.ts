import {
  type Component,
  Container,
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
  /** False when digits only select, so that a person who was typing chooses nothing by it. */
  digitsChoose?: boolean | undefined;
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

  constructor(options: MenuOptions) {
    super();
    const { above, items, selected = 0, theme, hint, onCancel } = options;
    this.#options = options;
    const labels = items.map(({ label, description = "" }, at): SelectItem => {
      return { value: String(at), label: `${at + 1}  ${label}`, description };
    });
    const widest = Math.max(...labels.map(({ label }) => label.length));
    this.#list = new SelectList(labels, ROWS, theme.select, {
      minPrimaryColumnWidth: Math.min(widest + 2, 60),
      maxPrimaryColumnWidth: 100,
    });
    this.#list.setSelectedIndex(selected);
    this.#list.onSelect = ({ value }) => this.#choose(Number(value));
    this.#list.onCancel = onCancel;
    for (const component of above) this.addChild(component);
    this.addChild(this.#list);
    this.addChild(new Text(theme.dim(hint), 0, 0));
  }

  handleInput(data: string): void {
    const { items, selected = 0, digitsChoose = true } = this.#options;
    const digit = /^[1-9]$/.test(data) ? Number(data) - 1 : -1;
    if (digit >= 0 && digit < items.length) {
      this.#list.setSelectedIndex(digit);
      if (digitsChoose) this.#choose(digit);
    } else if (/^[^\p{Cc}]+$/u.test(data)) this.#list.setSelectedIndex(selected);
    else this.#list.handleInput(data);
  }

  #choose(at: number): void {
    this.#options.items[at]?.choose();
  }
}
