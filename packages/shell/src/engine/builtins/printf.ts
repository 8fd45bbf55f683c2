import { print, type Process, report } from "../run/process.ts";
import { assignVariable, expandName, isVariableName, readVariable } from "../state/access.ts";
import { escapeText } from "../expand/quoting.ts";
import { decodeBackslashes } from "../text/ansi-c.ts";
import { decodeShellText, encodeShellText } from "../text/bytes.ts";
import { timeZone } from "../text/time-zone.ts";
import { decodeEscapes } from "./echo.ts";
import { parseOptions, withTexts } from "./builtin.ts";
import { formatFloat, printfTime } from "./printf-numbers.ts";

const DIRECTIVE =
  /%(?:%|([-+ 0#']*)(\*|\d*)(?:\.(\*|-?\d*))?(?:hh?|ll?|[jztL])?(\([^)]*\)T|[a-zA-Z])?)/g;

export const printf = withTexts(async (process, args) => {
  const { options, rest } = parseOptions(
    args.slice(0, 2).some((arg) => arg === "-v") || args[0] === "--" ? args : ["--", ...args],
    { flags: "", valued: "v" },
  );
  const [format, ...operands] = rest;
  if (format === undefined) {
    await report(process, "printf: usage: printf [-v var] format [arguments]");
    return 2;
  }
  const name = options.get("v");
  if (name !== undefined && !isVariableName(name)) {
    await report(process, `printf: \`${name}': not a valid identifier`);
    return 2;
  }
  const formatter = new Formatter(process, operands);
  const text = await formatter.format(format);
  if (name === undefined) await print(process, 1, text);
  else {
    const target = expandName(process.state, name);
    const [value = ""] = text.split("\0", 1);
    assignVariable(process.state, target.name, value, { subscript: target.subscript });
  }
  return formatter.status;
});

interface Directive {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
}

/** Applies a format as often as there are arguments for it. */
class Formatter {
  status = 0;
  readonly #process: Process;
  readonly #operands: readonly string[];
  #at = 0;
  #isCut = false;

  constructor(process: Process, operands: readonly string[]) {
    this.#process = process;
    this.#operands = operands;
  }

  async format(format: string): Promise<string> {
    const { budget } = this.#process.run;
    let text = "";
    do {
      const before = this.#at;
      text += await this.#once(format);
      budget.text(text.length);
      const turn = budget.turn();
      if (turn) await turn;
      if (this.#at === before) break;
    } while (this.#at < this.#operands.length && !this.#isCut);
    return text;
  }

  async #once(format: string): Promise<string> {
    let [text, end] = ["", 0];
    for (const match of format.matchAll(DIRECTIVE)) {
      text += decodeFormat(format.slice(end, match.index));
      end = match.index + match[0].length;
      text +=
        match[0] === "%%"
          ? "%"
          : match[4] === undefined && format[end] === "("
            ? await this.#unfinishedTime(match[0])
            : await this.#directive(match, format.charAt(end));
      if (this.#isCut) return text;
    }
    return text + decodeFormat(format.slice(end));
  }

  /** @param next The character behind the directive, which bash takes for its letter where there is none. */
  async #directive(
    [whole, flags = "", width = "", precision, letter]: RegExpMatchArray,
    next: string,
  ): Promise<string> {
    if (letter === undefined)
      return this.#stop(
        next === ""
          ? `\`${whole}': missing format character`
          : `\`${next}': invalid format character`,
      );
    let given = width === "*" ? await this.#integer() : BigInt(width || 0);
    let shownFlags = flags;
    if (given < 0n) {
      shownFlags += "-";
      given = -given;
    }
    const limit = precision === "*" ? Number(await this.#integer()) : Number(precision || 0);
    const directive = {
      flags: shownFlags,
      width: Number(given),
      precision: precision === undefined || limit < 0 ? undefined : limit,
    };
    const longest = this.#process.run.budget.limits.outputBytes;
    if (Math.max(directive.width, directive.precision ?? 0) > longest) {
      return this.#stop(`\`${whole}': width limit exceeded (${longest})`);
    }
    return pad(await this.#value(letter, directive), directive, letter);
  }

  async #value(letter: string, directive: Directive): Promise<string> {
    const { precision } = directive;
    switch (letter.at(-1)) {
      case "s":
        return cut(this.#next() ?? "", precision);
      case "c":
        return cut(this.#next() || "\0", 1);
      case "q":
        return escapeText(this.#next() ?? "");
      case "b": {
        const { text, isCut } = decodeEscapes(
          (this.#next() ?? "").replace(/\\([1-7][0-7]{0,2})/g, "\\0$1"),
        );
        this.#isCut = isCut;
        return cut(text, precision);
      }
      case "d":
      case "i":
        return integerText(await this.#integer(), directive);
      case "u":
      case "o":
      case "x":
      case "X":
        return unsignedText(BigInt.asUintN(64, await this.#integer(true)), letter, directive);
      case "T":
        return cut(this.#time(letter.slice(1, -2)), precision);
      case "e":
      case "E":
      case "f":
      case "F":
      case "g":
      case "G":
      case "a":
      case "A":
        return this.#floatText(letter, directive);
      default:
        return this.#stop(`\`${letter}': invalid format character`);
    }
  }

  #time(format: string): string {
    const zone = timeZone(readVariable(this.#process.state, "TZ"));
    return printfTime(format, this.#next(), zone);
  }

  #next(): string | undefined {
    return this.#operands[this.#at++];
  }

  async #integer(isUnsigned = false): Promise<bigint> {
    const text = this.#next();
    if (text === undefined || text === "") return 0n;
    if (/^['"]/.test(text)) return BigInt(text.codePointAt(1) ?? 0);
    const match = /^\s*([+-]?)(0[xX][\da-fA-F]+|0[0-7]*(?![\d])|[1-9]\d*)/.exec(text);
    const digits = match?.[2] ?? "0";
    const value = BigInt(/^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits);
    if (match?.[0].length !== text.length) {
      const reason = /^\s*[+-]?0[89]/.test(text) ? "invalid octal number" : "invalid number";
      await this.#fail(`${text}: ${reason}`);
    }
    const most = (1n << (isUnsigned ? 64n : 63n)) - 1n;
    return this.#inRange(match?.[1] === "-" ? -value : value, { text, most });
  }

  async #floatText(letter: string, directive: Directive): Promise<string> {
    const text = this.#next();
    return formatFloat(await this.#float(text), letter, {
      ...directive,
      exact: exactInteger(text),
    });
  }

  async #float(text: string | undefined): Promise<number> {
    if (text === undefined || text === "") return 0;
    if (/^['"]/.test(text)) return text.codePointAt(1) ?? 0;
    const value = /^\s*[+-]?(?:inf|nan)/i.test(text)
      ? Number(text.replace(/inf(?:inity)?/i, "Infinity"))
      : Number(text.trim() === "" ? Number.NaN : text);
    if (!Number.isNaN(value) || /nan/i.test(text)) return value;
    await this.#fail(`${text}: invalid number`);
    const hex = /^\s*([+-]?)(0x[\da-f]+)/i.exec(text);
    const start = hex ? Number(hex[2]) * (hex[1] === "-" ? -1 : 1) : Number.parseFloat(text);
    return Number.isNaN(start) ? 0 : start;
  }

  /** The nearest number of 64 bits, with a warning where that is another one. */
  async #inRange(value: bigint, { text, most }: { text: string; most: bigint }): Promise<bigint> {
    const least = -(1n << 63n);
    if (value >= least && value <= most) return value;
    await report(this.#process, `printf: warning: ${text}: Numerical result out of range`);
    return value < 0n ? least : most;
  }

  /** `%(` without its end is text. */
  async #unfinishedTime(text: string): Promise<string> {
    await report(this.#process, "printf: warning: `%(': invalid time format specification");
    return text;
  }

  /** Ends the output here. */
  async #stop(message: string): Promise<string> {
    this.#isCut = true;
    await this.#fail(message);
    return "";
  }

  async #fail(message: string): Promise<void> {
    this.status = 1;
    await report(this.#process, `printf: ${message}`);
  }
}

/** The value of an integer that a number of this language may round, but one of bash's 80 bits does not. */
function exactInteger(text = ""): bigint | undefined {
  const digits = /^\s*[+-]?(\d{16,20})(?![\d.eE])/.exec(text)?.[1];
  const value = digits === undefined ? undefined : BigInt(digits);
  return value !== undefined && value < 1n << 64n ? value : undefined;
}

/** The escapes of a format: those of `$'…'`, except for `\c`. */
function decodeFormat(text: string): string {
  if (!text.includes("\\")) return text;
  return decodeBackslashes(
    text.replace(/\\([^])/g, (escape, character) => (character === "c" ? "\\\\c" : escape)),
  );
}

/** Widths and precisions count bytes, as they do in bash. */
function cut(text: string, precision: number | undefined): string {
  if (precision === undefined) return text;
  return decodeShellText(encodeShellText(text).subarray(0, precision));
}

function integerText(value: bigint, { flags, precision }: Directive): string {
  const digits = String(value < 0n ? -value : value).padStart(precision ?? 1, "0");
  const sign = value < 0n ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  return sign + digits;
}

function unsignedText(value: bigint, letter: string, { flags, precision }: Directive): string {
  const base = letter === "u" ? 10 : letter === "o" ? 8 : 16;
  let digits = value.toString(base).padStart(precision ?? 1, "0");
  if (flags.includes("#") && value !== 0n)
    digits = (base === 8 ? "0" : base === 16 ? "0x" : "") + digits;
  return letter === "X" ? digits.toUpperCase() : digits;
}

function pad(text: string, { flags, width, precision }: Directive, letter: string): string {
  const { length } = encodeShellText(text);
  if (length >= width) return text;
  const fill = width - length;
  if (flags.includes("-")) return text + " ".repeat(fill);
  const isNumber = /[diouxXeEfFgG]$/.test(letter);
  const isInteger = /[diouxX]$/.test(letter);
  if (!flags.includes("0") || !isNumber || (isInteger && precision !== undefined))
    return " ".repeat(fill) + text;
  const [sign = ""] = /^[+ -]?(?:0[xX])?/.exec(text) ?? [];
  return sign + "0".repeat(fill) + text.slice(sign.length);
}
