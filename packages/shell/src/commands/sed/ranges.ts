import type { Address, Command } from "./script.ts";

/** The line that addresses are compared with. */
export interface Place {
  readonly line: number;
  readonly isLast: boolean;
  matches(address: Extract<Address, { kind: "match" }>): boolean;
}

function meets(address: Address, place: Place): boolean {
  const { line } = place;
  switch (address.kind) {
    case "line":
      return line === address.line;
    case "last":
      return place.isLast;
    case "step":
      return address.step <= 0
        ? line === address.first
        : line >= address.first && (line - address.first) % address.step === 0;
    case "match":
      return place.matches(address);
    default:
      return false;
  }
}

/** Tells whether a command is for a line, and keeps the state of its range. */
export function isChosen({ from, to, range }: Command, place: Place): boolean {
  if (!from) return true;
  if (!to) return meets(from, place);
  if (range.isOpen) {
    if (to.kind === "match" || to.kind === "last") {
      range.isOpen = !meets(to, place);
      return true;
    }
    range.isOpen = place.line < range.until;
    return place.line <= range.until;
  }
  if (from.kind === "line" && from.line === 0 && place.line === 1) {
    range.isOpen = !meets(to, place);
    return true;
  }
  if (!starts(from, to, range, place)) return false;
  range.hasStarted = true;
  if (to.kind === "match" || to.kind === "last")
    range.isOpen = to.kind === "match" || !place.isLast;
  else {
    range.until = endOf(to, place.line);
    range.isOpen = place.line < range.until;
  }
  return true;
}

/** A range from a line also starts later, when the line itself was not there for the command, but not behind its end. */
function starts(from: Address, to: Address, range: Command["range"], place: Place): boolean {
  if (meets(from, place)) return true;
  const isLate = from.kind === "line" && from.line > 0 && place.line > from.line;
  return isLate && !range.hasStarted && (to.kind !== "line" || place.line <= to.line);
}

/** The last line of a range that starts here. */
function endOf(to: Address, line: number): number {
  if (to.kind === "line") return to.line;
  if (to.kind === "plus") return line + to.lines;
  return to.kind === "multiple" && to.of > 0 ? Math.ceil(line / to.of) * to.of : line;
}
