import { createCell } from "@robota/react/store";
import type { ComponentProps, ComponentType } from "react";

/** The components of the dialogs by their ids; `dialogs.tsx` declares them, so that this file needs none of them. */
// oxlint-disable-next-line typescript/no-empty-object-type -- declared there
export interface Dialogs {}

export type DialogId = keyof Dialogs;
/** The props of a dialog that its opener gives. */
export type DialogPropsOf<Id extends DialogId> = Omit<
  ComponentProps<Dialogs[Id] extends ComponentType<infer Props> ? ComponentType<Props> : never>,
  "onClose"
>;

export interface OpenedDialog {
  id: DialogId;
  props: object;
}

/** The dialog that is open. There is at most one. */
export const openedDialog = createCell<OpenedDialog | undefined>(undefined);

/** Opens a dialog of `dialogs.tsx` in place of the one that is open. */
export function openDialog<Id extends DialogId>(
  id: Id,
  ...[props]: object extends DialogPropsOf<Id> ? [props?: DialogPropsOf<Id>] : [DialogPropsOf<Id>]
): void {
  typed = "";
  openedDialog.set({ id, props: props ?? {} });
}

let typed = "";

/** Text typed since the present dialog was asked for and before it was there. */
export function typedAhead(): string {
  return typed;
}

/** Keeps keys from what has the focus while a dialog is not there yet. Returns the way to stop. */
export function holdKeys(): () => void {
  const hold = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") closeDialog();
    else if (event.key.length === 1) typed += event.key;
  };
  addEventListener("keydown", hold, { capture: true });
  return () => removeEventListener("keydown", hold, { capture: true });
}

export function closeDialog(): void {
  openedDialog.set(undefined);
}
