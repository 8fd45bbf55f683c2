import { expect, it } from "vitest";
import {
  decodeText,
  encodeText,
  foreignEncoding,
  imageType,
  isPdf,
  lineEnding,
  type TextForm,
  toBase64,
  withLineEnding,
} from "./text-file.ts";

const forms: TextForm[] = [
  { encoding: "utf-8", bom: false },
  { encoding: "utf-8", bom: true },
  { encoding: "utf-16le", bom: true },
  { encoding: "utf-16be", bom: true },
];

it.each(forms)("reads and writes back $encoding (byte order mark: $bom)", (form) => {
  const text = "héllo\r\n😀\n";
  const bytes = encodeText(text, form);
  const file = decodeText(bytes);
  expect(file).toEqual({ ...form, text, exact: true });
  expect(encodeText(file?.text ?? "", form)).toEqual(bytes);
});

it("recognizes a file with a NUL byte as binary", () => {
  expect(decodeText(new Uint8Array([0x61, 0, 0x62]))).toBeUndefined();
  expect(decodeText(new Uint8Array())).toMatchObject({ text: "", exact: true });
});

it("decodes a text with invalid bytes, marked as inexact", () => {
  expect(decodeText(new Uint8Array([0x63, 0x61, 0x66, 0xe9]))).toMatchObject({
    text: "caf\ufffd",
    exact: false,
  });
});

it("writes no lone surrogate", () => {
  for (const form of forms) {
    expect(decodeText(encodeText("a\ud83d", form))).toMatchObject({ text: "a\ufffd", exact: true });
  }
});

it("guesses the encoding of an undecodable text", () => {
  const bytes = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
  expect(foreignEncoding(bytes("t\0e\0x\0t\0"))).toBe("UTF-16LE");
  expect(foreignEncoding(bytes("\0t\0e\0x\0t"))).toBe("UTF-16BE");
  const utf32 = Uint8Array.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]);
  expect([decodeText(utf32), foreignEncoding(utf32)]).toEqual([undefined, "UTF-32"]);
  expect(foreignEncoding(new Uint8Array(100))).toBeUndefined();
  expect(foreignEncoding(Uint8Array.from([1, 0, 2]))).toBeUndefined();
  expect(foreignEncoding(new Uint8Array())).toBeUndefined();
});

it("detects the line ending of a text that has only one", () => {
  expect(lineEnding("a\nb\n")).toBe("\n");
  expect(lineEnding("a\r\nb\r\n")).toBe("\r\n");
  expect(lineEnding("a\r\nb\n")).toBeUndefined();
  expect(lineEnding("a")).toBeUndefined();
  expect(withLineEnding("a\nb\r\n", "\r\n")).toBe("a\r\nb\r\n");
  expect(withLineEnding("a\nb\r\n", "\n")).toBe("a\nb\n");
});

it("recognizes images by their first bytes", () => {
  const bytes = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
  expect(imageType(bytes("\x89PNG\r\n\x1a\n"))).toBe("image/png");
  expect(imageType(bytes("\xff\xd8\xff\xe0"))).toBe("image/jpeg");
  expect(imageType(bytes("GIF89a"))).toBe("image/gif");
  expect(imageType(bytes("RIFF0000WEBPVP8 "))).toBe("image/webp");
  expect(imageType(bytes("RIFF0000WAVE"))).toBeUndefined();
  expect(imageType(bytes(""))).toBeUndefined();
  expect([isPdf(bytes("%PDF-1.7\n")), isPdf(bytes("PDF"))]).toEqual([true, false]);
});

it("encodes base64 of any length", () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);
  const text = toBase64(bytes);
  expect(Uint8Array.from(atob(text), (char) => char.charCodeAt(0))).toEqual(bytes);
});
