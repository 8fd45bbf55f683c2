import { describe, expect, it } from "vitest";
import { Redactor } from "./redactor.ts";
import { expectWithin } from "../../../../test/support/time/own-time.ts";

/** Numbers from 0 to below `end`, the same in each run. */
function random(seed: number): (end: number) => number {
  let state = seed;
  return (end) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

const SECRETS = ["hunter2-and-more", "pass phrase of words", "p&ss wörd/17", "0xDEADBEEF"];
const inBase64 = (text: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)));
const FORMS = SECRETS.flatMap((secret) => [secret, encodeURIComponent(secret), inBase64(secret)]);
const SHAPED = [
  "sk-ant-abcdefgh12345678",
  "ghp_0123456789abcdefABCDEF",
  "AKIAIOSFODNN7EXAMPLE",
  "xoxb-1234567890-abcdef",
  "eyJhbGciOiJIUzI1.eyJzdWIiOiIx.c2lnbmF0dXJl",
];
const MARKED: [before: string, secret: string, after: string][] = [
  ["Authorization: Bearer ", "abcd.efgh-ijkl", " "],
  ["DB_PASSWORD=", '"two words"', " "],
  ['{"apiKey": "', "qwertz uiop", '"}'],
  ['{"text":"{\\"password\\": \\"', "asdf ghjk", '\\"}"}'],
  ["postgres://me:", "s3cr3t!", "@db/x "],
  ["https://h/?a=1&token=", "tokenvalue", "&b=2 "],
  [
    "-----BEGIN PRIVATE KEY-----\n",
    "MIIEvQIBADANBg\nkqhkiG9w0BAQEF",
    "\n-----END PRIVATE KEY-----, ",
  ],
];
const WORDS = ["a", "task-list", "is", "12", "=", '"', "\n", "://", "Bearer", "sk-", "KEY=", "--"];

function split(text: string, next: (end: number) => number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const length = 1 + next(next(4) === 0 ? 200 : 6);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

function streamed(redactor: Redactor, pieces: readonly string[]): string[] {
  const stream = redactor.stream();
  const safe: string[] = [];
  for (const piece of pieces) stream.add(piece, (part) => safe.push(part));
  stream.end();
  return safe;
}

describe("a text that comes in pieces", () => {
  it("shows no secret, at any split", () => {
    const redactor = new Redactor(SECRETS);
    const next = random(7);
    for (let round = 0; round < 1500; round++) {
      const word = (): string => WORDS[next(WORDS.length)] ?? "";
      const before = Array.from({ length: next(12) }, word).join(" ");
      const [mark, secret, after] =
        next(2) === 0
          ? (MARKED[next(MARKED.length)] ?? ["", "", ""])
          : ["", [...FORMS, ...SHAPED][next(FORMS.length + SHAPED.length)] ?? "", " "];
      const text = `${before}\n${mark}${secret}${after}${word()} end`;
      const pieces = split(text, next);
      const safe = streamed(redactor, pieces);
      expect(safe).toHaveLength(pieces.length);
      expect(safe.join(""), JSON.stringify(pieces)).not.toContain(secret);
      expect(safe.join("")).toContain("[REDACTED]");
      expect(safe.join("").endsWith("end")).toBe(true);
    }
  });

  it("is unchanged when it holds no secret, piece by piece", () => {
    const next = random(11);
    const text = "He asked me about the task-list, 12 tokens and `a=b`.\n".repeat(40);
    const pieces = split(text, next);
    expect(streamed(new Redactor(SECRETS), pieces)).toEqual(pieces);
  });

  it("emits words with the next space, and not before", () => {
    const stream = new Redactor(["pass phrase"]).stream();
    const safe: string[] = [];
    const add = (text: string): void => stream.add(text, (part) => safe.push(part));
    add("Hello ");
    add("wor");
    expect(safe).toEqual(["Hello "]);
    add("ld, ");
    expect(safe).toEqual(["Hello ", "wor", "ld, "]);
    add("pass ");
    expect(safe).toHaveLength(3);
    add("on ");
    expect(safe.slice(3)).toEqual(["pass ", "on "]);
  });

  it("removes a long secret as a whole, and keeps the surrounding text", () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${"abcdEFGH\n".repeat(800)}-----END PRIVATE KEY-----`;
    const text = `before ${key}, after ${"x".repeat(10_000)} end`;
    const safe = streamed(new Redactor(), split(text, random(3))).join("");
    expect(safe.startsWith("before ")).toBe(true);
    expect(safe.endsWith(`[REDACTED], after ${"x".repeat(10_000)} end`)).toBe(true);
    expect(safe).not.toContain("abcdEFGH");
  });

  it("never emits a part of an unterminated secret", () => {
    const endless = `"password": "${"aB3 ".repeat(40_000)}`;
    const safe = streamed(new Redactor(), split(endless, random(5))).join("");
    expect(safe).not.toContain("aB3");
  });

  it.each([
    [["more", ", then sk-ant-abcdefgh12345678 b", " c"], "[REDACTED]|, then [REDACTED] b| c"],
    [["more, then b", " c"], "[REDACTED], then b| c"],
    [["more", "", " and more", "!", " c"], "[REDACTED]|||!| c"],
    [["!sk-ant-abcdefgh12345678!", " c"], "![REDACTED]!| c"],
    [["more"], "[REDACTED]"],
  ])("drops the rest of a secret that is too long to buffer: %j", (pieces, rest) => {
    const long = `API_KEY=${"a1B2".repeat(17_500)}`;
    const safe = streamed(new Redactor(), ["x ", long, ...pieces]);
    expect(safe.join("|")).toBe(`x |API_KEY=[REDACTED]|${rest}`);
  });

  it("recognizes a long registered secret, also when its beginning repeats", () => {
    const secret = "tiger-".repeat(1000);
    const redactor = new Redactor([secret, "lily-pad"]);
    const pieces = ["a tiger-", secret.slice(0, 5000), secret.slice(5000), "lily- lily-pad", " b"];
    const safe = streamed(redactor, pieces).join("");
    expect(safe).toBe("a [REDACTED]tiger-lily- [REDACTED] b");
  });

  it.each(["word ", "x", "A_", "-----BEGIN ", '"password": "a', "://a:", "pass phras"])(
    "runs in linear time for %j",
    (unit) => {
      const text = unit.repeat(Math.ceil(60_000 / unit.length));
      return expectWithin(6000, () => streamed(new Redactor(SECRETS), split(text, random(1))));
    },
  );
});

it("recognizes secrets registered later", () => {
  const redactor = new Redactor();
  expect(redactor.text("it is tiger-lily")).toBe("it is tiger-lily");
  redactor.register("tiger-lily");
  expect(redactor.text("it is tiger-lily")).toBe("it is [REDACTED]");
  expect(redactor.value({ note: `q=${encodeURIComponent("tiger-lily")}`, apiKey: "x" })).toEqual({
    note: "q=[REDACTED]",
    apiKey: "[REDACTED]",
  });
});
