/// <reference types="vite/client" />
import { Lexer } from "marked";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it, vi } from "vitest";
import { decodeEntities } from "./entities.ts";
import { Markdown } from "./markdown.tsx";
import { createMarkdownParser } from "./parse.ts";

const sample = `# Title

Some *text* with a [link][r] and
a second line.

- one
- two

  still two

1. first
2. second

| a | b |
|---|--:|
| 1 | 2 |

> quoted
> more

\`\`\`js
const a = 1;

const b = 2;
\`\`\`

    indented

<div>

Setext
---

* * *

[r]: https://example.com
`;

/** Characters of blocks that are lexed meanwhile. */
function countRead<Result>(work: () => Result): { read: number; result: Result } {
  const lex = vi.spyOn(Lexer.prototype, "blockTokens");
  const result = work();
  const read = lex.mock.calls.reduce((sum, [source]) => sum + source.length, 0);
  lex.mockRestore();
  return { read, result };
}

const pieces = [
  "Some *text* [a] and [b][c].\n",
  "\n\n",
  "- [a] one\n- two [x](y)\n\n",
  "> q [b]\n> [b]: https://b.example\n\n",
  "[a]: https://a.example\n\n",
  '[c]: <https://c.example> "Title"\n\n',
  "```ts\nlet a: { [k: string]: b };\n```\n\n",
  "| a [a] | b |\n|---|---|\n| [c] | x |\n\n",
  "[A]: https://second.example\n\n",
  "> [lo\n> ng]: /x\n\n[lo ng]\n\n",
  "- x\n  [a]: /d\n\n",
  "\\[a] **[a]** ![c]\n",
];

describe("createMarkdownParser", () => {
  it("makes the same blocks of a text that arrives letter by letter", () => {
    const parser = createMarkdownParser();
    const withoutLinks = sample.replaceAll("[r]", "r");
    for (let end = 1; end < withoutLinks.length; end++) {
      const text = withoutLinks.slice(0, end);
      expect([...parser.parse(text, false)], text).toEqual([...Lexer.lex(text)]);
    }
  });

  it("makes the same links at the end when definitions arrive letter by letter", () => {
    const parser = createMarkdownParser();
    for (let end = 1; end < sample.length; end++) parser.parse(sample.slice(0, end), false);
    expect([...parser.parse(sample, true)]).toEqual([...Lexer.lex(sample)]);
  });

  it.each([
    ["", 100],
    ["\n\n> [r]: https://example.com", 100],
    ["\n\n```ts\nlet all: { [name: string]: string } = first[0];\n```", 100],
    ["\n\nSee [r].\n\n[r]: https://example.com", 100],
  ])(
    "parses at the end of a long text only what links can be in, with %j behind it",
    (end, most) => {
      const whole = `${"Some *text*.\n\n".repeat(2_000)}End${end}`;
      const parser = createMarkdownParser();
      const before = parser.parse(whole, false);
      const { read, result: after } = countRead(() => parser.parse(whole, true));
      expect(read).toBeLessThan(most);
      expect(after[0]).toBe(before[0]);
      expect([...after]).toEqual([...Lexer.lex(whole)]);
    },
  );

  it("makes the same of definitions and uses in any order, however they arrive", () => {
    for (const first of pieces)
      for (const second of pieces)
        for (const third of pieces) {
          const text = first + second + third;
          const parser = createMarkdownParser();
          for (let end = 3; end < text.length; end += 7) parser.parse(text.slice(0, end), false);
          expect([...parser.parse(text, true)], text).toEqual([...Lexer.lex(text)]);
        }
  });

  it("keeps unchanged blocks as the same objects", () => {
    const parser = createMarkdownParser();
    const before = parser.parse("# One\n\nTwo\n\nThr", false);
    const after = parser.parse("# One\n\nTwo\n\nThree", false);
    const whole = parser.parse("# One\n\nTwo\n\nThree", true);
    expect(after[0]).toBe(before[0]);
    expect(after[2]).toBe(before[2]);
    expect(after.at(-1)).not.toBe(before.at(-1));
    expect([...whole]).toEqual([...after]);
    expect(whole[0]).toBe(before[0]);
  });

  it("resolves a link whose definition comes later at the end of the text", () => {
    const parser = createMarkdownParser();
    parser.parse("See [it].\n\nMore.", false);
    const [first] = parser.parse("See [it].\n\nMore.\n\n[it]: https://example.com", true);
    expect(JSON.stringify(first)).toContain("https://example.com");
  });

  it("starts anew for another text", () => {
    const parser = createMarkdownParser();
    parser.parse("# One\n\nTwo\n\nThree", false);
    expect([...parser.parse("Other\r\n\r\ntext", false)]).toEqual([...Lexer.lex("Other\n\ntext")]);
  });

  it("shows an open fence as code while it streams", () => {
    expect(createMarkdownParser().parse("```js\nlet a", false)[0]).toMatchObject({
      type: "code",
      text: "let a",
    });
  });
});

it("decodes character references and leaves unknown ones", () => {
  expect(decodeEntities("a &amp; b &lt;c&gt; &#65;&#x42; &nope; &")).toBe("a & b <c> AB &nope; &");
  expect(decodeEntities("&#0;&#x110000;")).toBe("\ufffd\ufffd");
});

describe("a text that is expensive to draw", () => {
  const draw = (text: string, streaming = false): string =>
    renderToStaticMarkup(createElement(Markdown, { text, streaming }));

  it.each(["- ", "> ", ">", "1. ", "* ", "> - ", "+\t", "[a](", "**a *b ", "*a _", "[![a]("])(
    "draws %j 5,000 times, also while streaming, without losing any",
    (piece) => {
      const text = `${piece.repeat(5_000)}end`;
      for (const streaming of [true, false]) {
        const drawn = draw(text, streaming).replaceAll(/<[^>]+>/g, "");
        expect(drawn.replaceAll("&gt;", ">").trim()).toBe(text);
      }
    },
  );

  it("shows lines nested too deep as they were written", () => {
    const text = Array.from({ length: 500 }, (_, depth) => `${"  ".repeat(depth)}- x`).join("\n");
    expect(draw(text)).toBe(
      `<div data-part="markdown"><p data-part="plain-text">${text}</p></div>`,
    );
  });

  // Searched for its ends at each place, this one took minutes.
  it("draws ten thousand unclosed emphases", () => {
    const text = "*a_".repeat(40_000);
    expect(draw(text).replaceAll(/<[^>]+>/g, "")).toBe(text);
  });

  it("draws twenty levels of lists and quotes, and thousands of bold words", () => {
    expect(draw("> - ".repeat(10)).match(/<blockquote>/g)).toHaveLength(10);
    expect(draw("**a** *b* ".repeat(5_000)).match(/<strong>/g)).toHaveLength(5_000);
  });
});
