import { expect, it } from "vitest";
import { ansiSpans } from "./ansi.ts";

it("turns colour codes into styles and drops every other sequence", () => {
  expect(ansiSpans("a\u001b[1;31mb\u001b[0mc\u001b[2Kd\u001b]0;title\u0007e")).toEqual([
    { text: "a" },
    { text: "b", bold: true, color: "red" },
    { text: "c" },
    { text: "d" },
    { text: "e" },
  ]);
});

it("skips unsupported colours with all of their parameters", () => {
  expect(ansiSpans("\u001b[38;5;208mx\u001b[38;2;1;31;3my\u001b[39mz")).toEqual([
    { text: "x" },
    { text: "y" },
    { text: "z" },
  ]);
});

it("maps bright colours to the plain ones, and resets the colour only at 39", () => {
  expect(ansiSpans("\u001b[92;1mok\u001b[39m!")).toEqual([
    { text: "ok", color: "green", bold: true },
    { text: "!", bold: true },
  ]);
});

it("underlines, and turns single looks off", () => {
  expect(ansiSpans("\u001b[1;4;31ma\u001b[22mb\u001b[24mc\u001b[0md")).toEqual([
    { text: "a", bold: true, underline: true, color: "red" },
    { text: "b", underline: true, color: "red" },
    { text: "c", color: "red" },
    { text: "d" },
  ]);
});

it("keeps what is not a colour, for those who must see it", () => {
  const text = "\u001b[32mok\u001b[0m\u001b[2K!";
  expect(ansiSpans(text, { keepsOthers: true })).toEqual([
    { text: "ok", color: "green" },
    { text: "\u001b[2K!" },
  ]);
});
