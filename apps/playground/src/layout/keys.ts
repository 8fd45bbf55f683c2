/** A combination such as `Mod+Shift+F`, `Alt+↑` or `?`. `Mod` is Command on Apple's devices and Control elsewhere. */
export type Keys = string;

/** The part of a `KeyboardEvent` that decides. */
export type KeyPress = Pick<
  KeyboardEvent,
  "key" | "code" | "altKey" | "ctrlKey" | "metaKey" | "shiftKey"
>;

const named: Readonly<Record<string, string>> = { "↑": "ArrowUp", "↓": "ArrowDown", Esc: "Escape" };

/** Reports whether these keys were pressed, with no other modifier. */
export function isPressed(event: KeyPress, keys: Keys): boolean {
  const parts = keys.split("+");
  const key = parts.pop() ?? "";
  const isLetter = /^[A-Z]$/.test(key);
  const isSign = key.length === 1 && !isLetter && !(key in named);
  if (parts.includes("Mod") !== (event.metaKey || event.ctrlKey)) return false;
  if (parts.includes("Alt") !== event.altKey) return false;
  // Where a sign lies depends on the layout: `?` and `/` need Shift on some.
  if (!isSign && parts.includes("Shift") !== event.shiftKey) return false;
  // By physical key with Alt: some layouts produce other characters then.
  if (isLetter && event.altKey) return event.code === `Key${key}`;
  return event.key.toLowerCase() === (named[key] ?? key).toLowerCase();
}

/** The combination as this machine's keyboard names it. */
export function keysLabel(keys: Keys): string {
  const mod = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl";
  return keys.replace("Mod", mod);
}
