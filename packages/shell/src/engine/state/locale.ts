import { countsBytes } from "../../locale.ts";
import { byteCharacters } from "../text/bytes.ts";
import { readVariable } from "./access.ts";
import type { ShellState } from "./shell-state.ts";

/** The text in the characters of the locale, of which each is a byte in `C`. `joinBytes` takes that back. */
export function inLocale(state: ShellState, text: string): string {
  // oxlint-disable-next-line no-control-regex -- all of ASCII
  if (/^[\0-\x7f]*$/.test(text)) return text;
  return countsBytes((name) => readVariable(state, name)) ? byteCharacters(text) : text;
}
