import type { EditorTheme, MarkdownTheme, SelectListTheme } from "@earendil-works/pi-tui";
import type { ThemeName } from "./theme-names.ts";

/** Puts a text into a style. */
export type Style = (text: string) => string;

/** The styles of everything that the conversation shows. */
export interface Theme {
  bold: Style;
  dim: Style;
  accent: Style;
  success: Style;
  warning: Style;
  error: Style;
  added: Style;
  removed: Style;
  markdown: MarkdownTheme;
  select: SelectListTheme;
  editor: EditorTheme;
}

/** Parameters of SGR sequences that choose the color of the text. */
interface Colors {
  accent: string;
  success: string;
  warning: string;
  error: string;
}

/**
 * `terminal` uses the sixteen colors of the terminal's own scheme, which suit its background; the others name theirs by
 * their numbers among 256, dark ones for a light background and light ones for a dark one.
 */
const COLORS: Readonly<Record<ThemeName, Colors | undefined>> = {
  terminal: { accent: "36", success: "32", warning: "33", error: "31" },
  dark: { accent: "38;5;80", success: "38;5;114", warning: "38;5;221", error: "38;5;210" },
  light: { accent: "38;5;25", success: "38;5;28", warning: "38;5;130", error: "38;5;160" },
  plain: undefined,
};

const bold = attribute("1", "22");
const dim = attribute("2", "22");
const italic = attribute("3", "23");
const underline = attribute("4", "24");
const strikethrough = attribute("9", "29");

/** Makes a theme. `plain` has no color, as `NO_COLOR` asks for, but keeps bold and underlined text. */
export function createTheme(name: ThemeName): Theme {
  const colors = COLORS[name];
  const color = (kind: keyof Colors): Style =>
    colors ? attribute(colors[kind], "39") : (text) => text;
  const [accent, success, warning, error] = [
    color("accent"),
    color("success"),
    color("warning"),
    color("error"),
  ];
  const select: SelectListTheme = {
    selectedPrefix: accent,
    selectedText: (text) => bold(accent(text)),
    description: dim,
    scrollInfo: dim,
    noMatch: dim,
  };
  return {
    bold,
    dim,
    accent,
    success,
    warning,
    error,
    added: success,
    removed: error,
    select,
    editor: { borderColor: dim, selectList: select },
    markdown: {
      heading: (text) => bold(accent(text)),
      link: underline,
      linkUrl: dim,
      code: accent,
      codeBlock: (text) => text,
      codeBlockBorder: dim,
      quote: italic,
      quoteBorder: dim,
      hr: dim,
      listBullet: accent,
      bold,
      italic,
      strikethrough,
      underline,
    },
  };
}

function attribute(on: string, off: string): Style {
  return (text) => `\u001B[${on}m${text}\u001B[${off}m`;
}
