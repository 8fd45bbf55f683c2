import type { SessionConnection } from "@robota/react/store";
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type RefCallback,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { PageCommands } from "../commands/use-page-commands.ts";
import { CommandMenu } from "./command-menu.tsx";
import { type Choice, useOffer } from "./use-offer.ts";

export interface MessageBoxProps {
  text: string;
  onText: (text: string) => void;
  placeholder: string;
  running: boolean;
  autoFocus: boolean;
  session: SessionConnection | undefined;
  commands: PageCommands;
  textareaRef: RefCallback<HTMLTextAreaElement>;
  onSend: () => void;
  onSteer: () => void;
  /** Takes the last prompt back; `undefined` when there is none. */
  onRecall: () => string | undefined;
  onPaste: (event: ClipboardEvent) => void;
}

/** The text area of the message, with a menu for commands and mentions. */
export function MessageBox(props: MessageBoxProps) {
  const { text, running, session, commands, textareaRef, onSend, onSteer } = props;
  const menuId = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  /** Where the cursor belongs once the box has the chosen text. */
  const wanted = useRef<number>(undefined);
  const [cursor, setCursor] = useState(text.length);
  const { offered, chosen, title, activate, dismiss } = useOffer(text, cursor, commands, session);
  const active = chosen ? offered.indexOf(chosen) : -1;

  useLayoutEffect(() => {
    if (wanted.current !== undefined)
      box.current?.setSelectionRange(wanted.current, wanted.current);
    wanted.current = undefined;
  }, [text]);

  function write(typed: string, at: number) {
    props.onText(typed);
    setCursor(at);
    activate(0);
    dismiss("");
  }

  function choose(choice: Choice) {
    wanted.current = choice.cursor;
    write(choice.text, choice.cursor);
  }

  /** Returns whether the menu handled the key. */
  function onMenuKey(event: KeyboardEvent, choice: Choice): boolean {
    const isWhole = text === choice.text.trim();
    if (event.key === "ArrowDown") activate((at) => (at + 1) % offered.length);
    else if (event.key === "ArrowUp") activate((at) => (at || offered.length) - 1);
    else if (event.key === "Escape") dismiss(text);
    else if (event.key === "Tab" || (event.key === "Enter" && !isWhole)) choose(choice);
    else return false;
    event.preventDefault();
    return true;
  }

  function onKeyDown(event: KeyboardEvent) {
    // While an input method composes, Enter belongs to it. Safari reports 229 for the Enter that ends it.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (chosen && !event.shiftKey && onMenuKey(event, chosen)) return;
    if (event.key === "ArrowUp" && !event.altKey && text === "") {
      const recalled = props.onRecall();
      if (recalled) event.preventDefault();
      if (recalled) write(recalled, recalled.length);
    }
    if (event.key !== "Enter" || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (running && (event.metaKey || event.ctrlKey)) onSteer();
    else onSend();
  }

  return (
    <>
      {chosen && (
        <CommandMenu
          id={menuId}
          title={title}
          choices={offered}
          active={active}
          onChoose={choose}
        />
      )}
      <textarea
        ref={(node) => {
          box.current = node;
          return textareaRef(node);
        }}
        autoFocus={props.autoFocus}
        dir="auto"
        aria-label="Message to the agent"
        {...(chosen && comboboxOf(menuId, active))}
        placeholder={props.placeholder}
        rows={1}
        value={text}
        onChange={({ target }) => write(target.value, target.selectionStart)}
        onSelect={({ currentTarget }) => setCursor(currentTarget.selectionStart)}
        onPaste={props.onPaste}
        onKeyDown={onKeyDown}
      />
    </>
  );
}

/** ARIA attributes of the text area while something is offered. */
function comboboxOf(menuId: string, active: number) {
  return {
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-expanded": true,
    "aria-controls": menuId,
    "aria-activedescendant": `${menuId}-${active}`,
  } as const;
}
