import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import {
  bracketMatching,
  foldGutter,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { languageOf } from "./languages.ts";

export interface EditorOptions {
  text: string;
  /** The accessible name. */
  label: string;
  /** Name of the file, for its language. */
  name: string;
  onChange: (text: string) => void;
  onSave: () => void;
}

export interface Editor {
  /** Replaces the text, undoably, and keeps the cursor where it can. */
  setText: (text: string) => void;
  focus: () => void;
  destroy: () => void;
}

const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--code-keyword)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--good)" },
  { tag: [tags.comment, tags.meta], color: "var(--text-faint)", fontStyle: "italic" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--ask)" },
  { tag: [tags.tagName, tags.heading, tags.definition(tags.variableName)], color: "var(--accent)" },
  { tag: tags.heading, fontWeight: "600" },
  { tag: tags.link, textDecoration: "underline" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

const look = EditorView.theme({
  "&": {
    height: "100%",
    color: "var(--text)",
    backgroundColor: "transparent",
    fontSize: "inherit",
  },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { color: "var(--text-faint)", backgroundColor: "transparent", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { background: "var(--selection)" },
  ".cm-matchingBracket": { backgroundColor: "var(--pressed)" },
  ".cm-panels": { color: "var(--text)", backgroundColor: "var(--panel)" },
  ".cm-panels input, .cm-panels button": { font: "inherit" },
});

/**
 * Makes an editor in `parent`, inside a shadow root: there CodeMirror adopts its style sheets, which the page's policy
 * allows, and adds no `style` elements, which it forbids.
 */
export function createEditor(parent: HTMLElement, options: EditorOptions): Editor {
  let ends = lineEndsOf(options.text);
  const separator = new Compartment();
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: "open" });
  const language = new Compartment();
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        separator.of(ends.extension),
        lineNumbers(),
        foldGutter(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSelectionMatches(),
        search({ top: true }),
        EditorView.lineWrapping,
        syntaxHighlighting(colors),
        look,
        language.of([]),
        EditorView.contentAttributes.of({
          "aria-label": options.label,
          spellcheck: "false",
          tabindex: "0",
        }),
        keymap.of([
          { key: "Mod-s", preventDefault: true, run: () => (options.onSave(), true) },
          // Tab indents until Escape lets it move the focus once, as CodeMirror's guide demands of editors that take Tab.
          ...searchKeymap,
          ...historyKeymap,
          ...defaultKeymap,
          indentWithTab,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.onChange(ends.write(update.state.doc.toString()));
        }),
      ],
    }),
  });
  void languageOf(options.name).then(
    (found) => found && view.dispatch({ effects: language.reconfigure(found) }),
    // Without its language, the text has no colours.
    () => undefined,
  );
  return {
    setText(text) {
      const { length } = view.state.doc;
      if (ends.write(view.state.doc.toString()) === text) return;
      ends = lineEndsOf(text);
      view.dispatch({ effects: separator.reconfigure(ends.extension) });
      const insert = view.state.toText(text);
      const head = Math.min(view.state.selection.main.head, insert.length);
      view.dispatch({
        changes: { from: 0, to: length, insert },
        selection: { anchor: head },
      });
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

/** How the lines of a text end: the editor itself would make each a single line feed. */
interface LineEnds {
  extension: Extension;
  /** The editor's text as the file has it. */
  write: (text: string) => string;
}

function lineEndsOf(text: string): LineEnds {
  const asIs = (written: string): string => written;
  if (!text.includes("\r")) return { extension: [], write: asIs };
  if (!/[\r\n]/.test(text.replaceAll("\r\n", "")))
    return { extension: [], write: (written) => written.replaceAll("\n", "\r\n") };
  // Where they are mixed, a carriage return is a character like others.
  return { extension: EditorState.lineSeparator.of("\n"), write: asIs };
}
