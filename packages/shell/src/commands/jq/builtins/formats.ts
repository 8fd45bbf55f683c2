import { valueError } from "../errors.ts";
import { JqError, type JqMachine } from "../machine.ts";
import { jsonText, numberText } from "../text/print.ts";
import { isArray, type Value } from "../values.ts";
import type { NativeValues } from "./native.ts";
import { textForm } from "./strings.ts";

const encoder = new TextEncoder();

const ENTITIES: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  "'": "&apos;",
  '"': "&quot;",
};

/** A row of fields. */
function row(
  kind: string,
  separator: string,
  quoted: (text: string) => string,
): (value: Value) => string {
  return (value) => {
    if (!isArray(value)) throw valueError(`cannot be ${kind}-formatted, only array`, value);
    return value
      .map((field) => {
        if (field === null) return "";
        if (typeof field === "number") return Number.isNaN(field) ? "" : numberText(field);
        if (typeof field === "boolean") return String(field);
        if (typeof field === "string") return quoted(field);
        throw valueError(`is not valid in a csv row`, field);
      })
      .join(separator);
  };
}

function shellWord(value: Value): string {
  if (typeof value === "string") return `'${value.replaceAll("'", String.raw`'\''`)}'`;
  if (typeof value !== "object" || value === null) return jsonText(value, { maxCharacters: 100 });
  throw valueError("can not be escaped for shell", value);
}

function bytesToText(bytes: readonly number[]): string {
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Text in digits of some bits each, in groups that are filled up. */
function encodeBits(text: string, digits: string, bits: number, group: number): string {
  let [result, pending, count] = ["", 0, 0];
  for (const byte of encoder.encode(text)) {
    pending = (pending << 8) | byte;
    count += 8;
    while (count >= bits) {
      count -= bits;
      result += digits.charAt((pending >> count) & (2 ** bits - 1));
    }
    pending &= 2 ** count - 1;
  }
  if (count > 0) result += digits.charAt((pending << (bits - count)) & (2 ** bits - 1));
  return result.padEnd(Math.ceil(result.length / group) * group, "=");
}

/** The bytes that digits of some bits each stand for; `undefined` for text in other characters. */
function decodeBits(text: string, digits: string, bits: number): number[] | undefined {
  const bytes: number[] = [];
  let [pending, count] = [0, 0];
  for (const character of text.replace(/=+$/, "")) {
    const digit = digits.indexOf(character);
    if (digit === -1) return undefined;
    pending = (pending << bits) | digit;
    count += bits;
    if (count < 8) continue;
    count -= 8;
    bytes.push((pending >> count) & 0xff);
    pending &= 2 ** count - 1;
  }
  return bytes;
}

/** Text with the bytes that each `%` and two digits stand for. */
function decodedUri(value: Value, text: string): string {
  const wrong = valueError("is not a valid uri encoding", value);
  const bytes: number[] = [];
  for (const [part, digits] of text.matchAll(/%([\da-fA-F]{2})|[^]/gu)) {
    if (digits !== undefined) bytes.push(Number.parseInt(digits, 16));
    else if (part === "%") throw wrong;
    else bytes.push(...encoder.encode(part));
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Uint8Array.from(bytes),
    );
  } catch {
    throw wrong;
  }
}

function decoded(value: Value, text: string, digits: string, bits: number, name: string): string {
  const bytes = decodeBits(text, digits, bits);
  if (!bytes) throw valueError(`is not valid ${name} data`, value);
  if (bytes.length === 0 && text.replace(/=+$/, "") !== "")
    throw valueError(`trailing ${name} byte found`, value);
  return bytesToText(bytes);
}

const formats: Readonly<Record<string, (value: Value, machine: JqMachine) => string>> = {
  text: textForm,
  json: (value, machine) => machine.text(jsonText(value, machine)),
  csv: row("csv", ",", (text) => `"${text.replaceAll('"', '""')}"`),
  tsv: row("tsv", "\t", (text) =>
    text
      .replaceAll("\\", "\\\\")
      .replaceAll("\t", "\\t")
      .replaceAll("\n", "\\n")
      .replaceAll("\r", "\\r"),
  ),
  html: (value, machine) =>
    textForm(value, machine).replace(/[<>&'"]/g, (character) => ENTITIES[character] ?? ""),
  uri: (value, machine) =>
    Array.from(encoder.encode(textForm(value, machine)), (byte) => {
      const character = String.fromCharCode(byte);
      return /[\w.~!*()'-]/.test(character) && byte < 128
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    }).join(""),
  urid: (value, machine) => decodedUri(value, textForm(value, machine)),
  sh: (value) => (isArray(value) ? value.map(shellWord).join(" ") : shellWord(value)),
  base64: (value, machine) => encodeBits(textForm(value, machine), BASE64, 6, 4),
  base64d: (value, machine) => decoded(value, textForm(value, machine), BASE64, 6, "base64"),
  base32: (value, machine) => encodeBits(textForm(value, machine), BASE32, 5, 8),
  base32d: (value, machine) => decoded(value, textForm(value, machine), BASE32, 5, "base32"),
};

/** A value in the format that `@name` asks for. */
export function formatted(name: string, value: Value, machine: JqMachine): string {
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (!format) throw new JqError(`${name} is not a valid format`);
  return machine.text(format(value, machine));
}

export const formatValues: NativeValues = {
  "format/1"(machine, input, name) {
    if (typeof name !== "string") throw valueError("is not a valid format", name);
    return formatted(name, input, machine);
  },
};
