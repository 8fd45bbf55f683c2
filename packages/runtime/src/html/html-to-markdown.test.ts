import fc from "fast-check";
import { marked } from "marked";
import { describe, expect, it } from "vitest";
import { expectWithin } from "../../../../test/support/time/own-time.ts";
import { decodeReferences } from "./entities.ts";
import { htmlToMarkdown, type HtmlOptions } from "./html-to-markdown.ts";

const convert = (html: string, options: Partial<HtmlOptions> = {}): Promise<string> =>
  htmlToMarkdown(html, { onRead: async () => true, ...options });

/** Pages by what they show, and their Markdown. */
const PAGES: Record<string, Record<string, string>> = {
  paragraphs: {
    "<p>one<p>two\n  lines</p>text<p>three": "one\n\ntwo lines\n\ntext\n\nthree",
    "<div><div>a</div> b<span> c </span>d</div><hr>e": "a\n\nb c d\n\n---\n\ne",
    "a<br>b<br/><br>c</br>": "a  \nb\n\nc",
    "<title>T</title><h1> One </h1><h3>Two<br>2</h3><h2></h2>x": "T\n\n# One\n\n### Two<br>2\n\nx",
    "<details><summary>S</summary>x</details><address>y</address>": "**S**\n\nx\n\ny",
    "<figure><img src=a alt=b><figcaption>c</figcaption></figure>": "![b](a)\n\n*c*",
  },
  "marks within a line": {
    "<b>b</b> <strong>s</strong> <i>i</i> <em>e</em> <del>d</del>": "**b** **s** *i* *e* ~~d~~",
    "x<b> a </b>y<b></b>z <b><b>n</b></b>": "x **a** yz **n**",
    "<b>a</b><b>b</b>": "**a** **b**",
    "<b>a<p>b<p>c</b>d": "**a**\n\n**b**\n\n**c**d",
    "<b>a<i>b</b>c</i>d": "**a*b*** *c*d",
    "H<sub>2</sub>O <u>u</u> <q>q</q> <ruby>漢<rp>(<rt>kan</ruby>":
      'H<sub>2</sub>O <u>u</u> "q" 漢(kan)',
    "<code>a`b</code> <kbd> k </kbd><code></code> <code>`</code> <code>a*b</code>":
      "``a`b`` `k` `` ` `` `a*b`",
    '<code>a<a href="/x">b</a>c</code>': "`a`[`b`](/x)`c`",
  },
  "links and images": {
    '<a href="/x" title="a &quot;t&quot;">l</a> <a name=n>n</a>': '[l](/x "a \\"t\\"") n',
    '<a href="/a b(c)">[l]</a> <a href="http://a.b/">http://a.b/</a>':
      "[\\[l\\]](</a b(c)>) <http://a.b/>",
    '<a href=/x></a><a href=/y aria-label="Go [on]"><svg><path/></svg></a>':
      "[](/x)[Go \\[on\\]](/y)",
    "<a href=/x><h3>T</h3><p>d</a>e": "### [T](/x)\n\n[d](/x)e",
    "<a href=/x>a<a href=/y><img src=i alt='A]'></a></a>": "[a](/x)[![A\\]](i)](/y)",
    '<img alt=x><img src="a b" alt="">': "![](<a b>)",
  },
  lists: {
    "<ul><li>a<li>b<ul><li>c</ul><li>d</ul>e": "- a\n- b\n  - c\n- d\n\ne",
    "<ol start=9><li>a<li>b<p>c</p><p>d<li value=20>e<li></ol>":
      "9. a\n10. b\n\n    c\n\n    d\n20. e\n21.",
    "<ul><li><p>a</p><li><h2>b</h2>c<li>d<ol><li>e</ol>f</ul>":
      "- a\n- ## b\n\n  c\n- d\n  1. e\n\n  f",
    "<ul><li>x<pre>a\n\nb</pre><li><blockquote>q</blockquote></ul>":
      "- x\n\n  ```\n  a\n\n  b\n  ```\n- > q",
    "<blockquote>a<p>b<blockquote>c</blockquote></blockquote>d": "> a\n>\n> b\n>\n> > c\n\nd",
    "<dl><dt>t<dd>d<dd>e<dt>u<dd>f</dl>": "t\n: d\n: e\n\nu\n: f",
    "<li>loose": "- loose",
  },
  code: {
    "<pre>\n a\n  b\n\n</pre>x": "```\n a\n  b\n```\n\nx",
    '<pre><code class="hljs language-js">let a;\nb</code></pre>': "```js\nlet a;\nb\n```",
    "<pre>```\n<b>x</b> &lt;</pre>": "````\n```\nx <\n````",
    "<pre><div>a</div><div>b<br>c</div></pre>": "```\na\nb\nc\n```",
  },
  tables: {
    "<table><tr><th>a<th align=right>b<tr><td>1<td>2</table>":
      "| a | b |\n| --- | ---: |\n| 1 | 2 |",
    "<table><caption>C</caption><thead><tr><th colspan=2>a</thead><tr><td>1<td></table>":
      "C\n\n| a |  |\n| --- | --- |\n| 1 |  |",
    "<table><tr><td>a|<code>b|c</code><td>x<br>y<p>z<tr><td><ul><li>l<li>m</ul><td><pre>1\n2</pre></table>":
      "| a\\|`b\\|c` | x<br>y<br>z |\n| --- | --- |\n| - l<br>- m | `1`<br>`2` |",
    "<table><tr><td>a<td><table><tr><td>1</table></table>b": "a\n\n| 1 |\n| --- |\n\nb",
    "<ul><li>a<table><tr><td>1</table></ul>": "- a\n\n  | 1 |\n  | --- |",
    "<table></table>x": "x",
  },
  "pages with errors": {
    "</p>x</div>y</b>": "xy",
    "a<!-- c -->b<!-->c<![CDATA[x]]>d<?e?>f</ >g": "abcdfg",
    "a < b <1 a<b c='d": "a < b <1 a",
    "<p class='a>b' CLASS=x>x</P ><p/>y": "x\n\ny",
    "<table><tr><td>a</div>b</table><td>c": "| ab |\n| --- |\n\nc",
  },
  "nothing that is not for reading": {
    "<script>if (a</b) '</scripty>'</script>a<style>b</style><svg><text>s</svg><noscript>n</noscript>b":
      "ab",
    "<div hidden>a</div><p style='color:red; display: none'>b<p hidden=until-found>c": "c",
    "<iframe src=x>i</iframe><template>t</template><object>o</object>": "",
  },
  "the characters that references stand for": {
    "&lt;b&gt; &amp;lt; &copy &notit; &Alpha;&omega;&sigmaf;&euro; &#65;&#x42; &#150; &#0; &x;":
      "\\<b> \\&lt; © ¬it; Αως€ AB – \ufffd &x;",
    '<a href="?a&copy=1&lt;&amp;">&rarr;</a>': "[→](<?a&copy=1\\<&>)",
    "<textarea><b>x&amp;</b></textarea>": "\\<b>x&\\</b>",
  },
};

for (const [name, pages] of Object.entries(PAGES)) {
  describe(`Markdown of HTML has ${name}`, () => {
    it.each(Object.entries(pages))("%s", async (html, markdown) => {
      expect(await convert(html)).toBe(markdown);
    });
  });
}

it("takes the marks of bullets, fences, rules and headings from its options", async () => {
  const html = "<h1>One</h1><h2>Two 2</h2><h3>3</h3><ul><li>a</ul><pre>x</pre><hr>";
  expect(await convert(html, { bullet: "*", fence: "~~~", rule: "***", isUnderlined: true })).toBe(
    "One\n===\n\nTwo 2\n-----\n\n### 3\n\n* a\n\n~~~\nx\n~~~\n\n***",
  );
});

it("lets its caller change and leave out elements", async () => {
  const onElement: HtmlOptions["onElement"] = (name, attributes) => {
    if (name === "a") attributes.set("href", "https://a.b/");
    return name !== "nav";
  };
  const html = "<nav>n<p>m</nav><a href=/x>l</a>";
  expect(await convert(html, { onElement })).toBe("[l](https://a.b/)");
});

it("stops reading when its caller says so", async () => {
  let calls = 0;
  const text = await convert("<p>word</p>".repeat(20_000), {
    onRead: async () => {
      calls += 1;
      return calls < 3;
    },
  });
  expect(calls).toBe(3);
  expect(text.split("\n\n").length).toBeGreaterThan(3000);
  expect(text.split("\n\n").length).toBeLessThan(10_000);
});

it("escapes text so that readers of Markdown see the same", async () => {
  const part = fc.constantFrom(
    ..."\\ * _ ` ~ [ ] ( ) < > & # - + . ! | = 1 a b &lt; ** ``` --- 12. <b> é".split(" "),
    " ",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 12 }), async (parts) => {
      const text = parts.join("").trim().replace(/ +/g, " ");
      const html = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
      const shown = await marked.parse(await convert(`<p>${html}</p>`), { gfm: true });
      expect(decodeReferences(shown.replace(/<\/?(?:p|a)(?: [^>]*)?>/g, "")).trim()).toBe(text);
    }),
    { numRuns: 3000 },
  );
});

it.each([
  ["a paragraph", "<p>a", "b</p>", "a b"],
  ["a code span", "<p><code>a", "b</code></p>", "`a b`"],
  ["a cell", "<table><tr><th>a", "b</table>", "| a b |"],
])("reads many spaces within %s in linear time", async (_, start, end, expected) => {
  await expectWithin(1_000, async () =>
    expect(await convert(start + " ".repeat(100_000) + end)).toContain(expected),
  );
});

it("reads many spaces within preformatted text in linear time, and keeps them", async () => {
  const line = `a${" ".repeat(100_000)}b`;
  await expectWithin(1_000, async () =>
    expect(await convert(`<pre>${line}  \n</pre>`)).toBe(`\`\`\`\n${line}\n\`\`\``),
  );
});

it("reads any number of fences within preformatted text", async () => {
  const text = "````\n".repeat(200_000);
  const markdown = await convert(`<pre>${text}</pre>`);
  expect(markdown.startsWith("`````\n````\n")).toBe(true);
  expect(markdown.endsWith("\n````\n`````")).toBe(true);
});
