import { expect, it } from "vitest";
import { isPressed, type KeyPress } from "./keys.ts";

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  code: `Key${key.toUpperCase()}`,
  altKey: false,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  ...more,
});

it.each([
  ["Mod+K", press("k", { ctrlKey: true })],
  ["Mod+K", press("k", { metaKey: true })],
  ["Mod+Shift+F", press("F", { ctrlKey: true, shiftKey: true })],
  ["Alt+A", press("å", { code: "KeyA", altKey: true })],
  ["Alt+↑", press("ArrowUp", { altKey: true })],
  ["Mod+/", press("/", { ctrlKey: true, shiftKey: true })],
  ["?", press("?", { shiftKey: true })],
  ["F6", press("F6")],
  ["Shift+F6", press("F6", { shiftKey: true })],
  ["Esc", press("Escape")],
])("%s is pressed", (keys, event) => {
  expect(isPressed(event, keys)).toBe(true);
});

it.each([
  ["Mod+K", press("k")],
  ["Mod+K", press("K", { ctrlKey: true, shiftKey: true })],
  ["Mod+B", press("b", { ctrlKey: true, altKey: true })],
  ["Alt+A", press("a")],
  ["F6", press("F6", { shiftKey: true })],
  ["?", press("?", { ctrlKey: true, shiftKey: true })],
  ["Esc", press("Escape", { altKey: true })],
])("%s is not pressed by another combination", (keys, event) => {
  expect(isPressed(event, keys)).toBe(false);
});
