import { describe, expect, it } from "vitest";
import { evaluateArithmetic, type ArithmeticVariables } from "./evaluate.ts";

function variablesOf(values: Record<string, string>): ArithmeticVariables {
  const key = (name: string, subscript: string | undefined): string =>
    subscript === undefined ? name : `${name}[${subscript}]`;
  return {
    locate: (_name, subscript) => subscript,
    get: (name, subscript) => values[key(name, subscript)],
    set(name, subscript, value) {
      values[key(name, subscript)] = value;
    },
  };
}

function evaluate(text: string, values: Record<string, string> = {}): string {
  return String(evaluateArithmetic(text, variablesOf(values)));
}

describe("evaluateArithmetic", () => {
  it.each([
    ["", "0"],
    ["1 + 2 * 3", "7"],
    ["(1 + 2) * 3", "9"],
    ["7 / 2, -7 / 2", "-3"],
    ["-7 % 3", "-1"],
    ["2 ** 3 ** 2", "512"],
    ["-2 ** 2", "4"],
    ["010 + 0x1F + 2#101 + 36#z + 64#_", "142"],
    ["5 > 3 ? 1 : 0", "1"],
    ["1 ? 2 : 0 ? 3 : 4", "2"],
    ["!5, ~0", "-1"],
    ["!!7", "1"],
    ["--1", "1"],
    ["n = 5, ---n", "-4"],
    ["1 << 4 | 3 & 2 ^ 1", "19"],
    ["3 <= 3 && 2 != 2 || 4 == 4", "1"],
    ["9223372036854775807", "9223372036854775807"],
    ["9223372036854775807 + 1", "-9223372036854775808"],
    ["-9223372036854775807 - 1", "-9223372036854775808"],
    ["3037000500 * 3037000500", "-9223372036709301616"],
    ["1 << 63", "-9223372036854775808"],
    ["1 << 64", "1"],
    ["7 ** 1000000007", "6499202723253887223"],
  ])("%s is %s", (text, value) => {
    expect(evaluate(text)).toBe(value);
  });

  it("reads and assigns variables, whose values are expressions", () => {
    const values = { a: "b + 1", b: "4", "m[k]": "3" };
    expect(evaluate("x = a * 2, y = m[k]++, m[k] += x, --b", values)).toBe("3");
    expect(values).toEqual({ a: "b + 1", b: "3", x: "10", y: "3", "m[k]": "14" });
    expect(evaluate("b++ + ++b", { b: "5" })).toBe("12");
    expect(evaluate("missing")).toBe("0");
  });

  it("evaluates only the side that counts", () => {
    const values = { a: "1" };
    expect(evaluate("a || (a = 5), 0 && (a = 6), a ? 7 : (a = 8)", values)).toBe("7");
    expect(values.a).toBe("1");
  });

  it("evaluates what precedes an error", () => {
    const values = { a: "1" };
    for (const text of ["a++ 2", "a++ = 2", "a++ + 08", "a++ ? 1", "a++ + (1", "a++ *"])
      expect(() => evaluate(text, values)).toThrow();
    expect(values.a).toBe("7");
  });

  it("reads the side that does not count, in which variables are 0", () => {
    expect(evaluate("1 || 3 / 0 || 3 % a || a ** a", {})).toBe("1");
    expect(() => evaluate("1 || 2 ** -1")).toThrow("exponent less than 0");
    expect(() => evaluate("0 ? 08 : 1")).toThrow("value too great for base");
  });

  it.each([
    ["1 / 0", '1 / 0: division by 0 (error token is "0")'],
    ["1 +", '1 +: syntax error: operand expected (error token is "+")'],
    ["08", '08: value too great for base (error token is "08")'],
    ["1 = 2", '1 = 2: attempted assignment to non-variable (error token is "= 2")'],
    ["1 2", '1 2: syntax error in expression (error token is "2")'],
    ["(1", "(1: missing `)'"],
    ["2 ** -1", '2 ** -1: exponent less than 0 (error token is "-1")'],
    ["65#1", '65#1: invalid arithmetic base (error token is "65#1")'],
  ])("reports %s", (text, message) => {
    expect(() => evaluate(text)).toThrow(message);
  });

  it("ends what refers to itself, nests without end or is long", () => {
    expect(() => evaluate("a", { a: "b", b: "a" })).toThrow("recursion level exceeded");
    expect(() => evaluate(`${"(".repeat(10_000)}1`)).toThrow("recursion level exceeded");
    expect(evaluate(`${"-".repeat(100_000)} 1`)).toBe("1");
    expect(evaluate(`1${"+1".repeat(300_000)}`)).toBe("300001");
    expect(() => evaluate(`1${"?1".repeat(10_000)}`)).toThrow();
  });
});
