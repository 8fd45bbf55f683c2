import { dirname, relative } from "node:path/posix";
import { Marked } from "marked";

export interface SitePage {
  /** The file it comes of, from the repository's root; `reference/…` for one that is generated. */
  source: string;
  /** Its path in the site. */
  path: string;
  /** Markdown, with links as in the site. */
  text: string;
}

export interface Navigation {
  title: string;
  pages: readonly { title: string; path: string }[];
}

/** The whole HTML of a page. */
export function renderPage({ path, text }: SitePage, navigation: readonly Navigation[]): string {
  const to = (target: string): string => relative(dirname(path), target);
  const [, title = "Robota"] = /^# (.+)$/m.exec(text) ?? [];
  const name = title === "Robota" ? title : `${plain(title)} · Robota`;
  const menu = navigation.map(
    (section) =>
      `<section><h2>${escape(section.title)}</h2><ul>${section.pages
        .map((page) => {
          const current = page.path === path ? ' aria-current="page"' : "";
          return `<li><a href="${to(page.path)}"${current}>${inline(page.title)}</a></li>`;
        })
        .join("")}</ul></section>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(name)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to("style.css")}">
<link rel="alternate" type="text/markdown" href="${to(path.replace(/\.html$/, ".md"))}">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a href="${to("index.html")}">Robota</a> <a href="#menu">Menu</a></header>
<main id="content">
${bodyOf(text)}
<footer><a href="${to(path.replace(/\.html$/, ".md"))}">This page as Markdown</a></footer>
</main>
<nav id="menu" aria-label="Pages">${menu.join("")}</nav>
</body>
</html>
`;
}

/** An anchor, as GitHub makes it from a heading, so that links work at both places. */
export function anchorOf(heading: string): string {
  return plain(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

function bodyOf(text: string): string {
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text: heading }) {
        const anchor = anchorOf(heading);
        return `<h${depth} id="${anchor}"><a href="#${anchor}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`;
      },
      table(token) {
        const row = (cells: typeof token.header, tag: string): string =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("")}</tr>`;
        const body = token.rows.map((cells) => row(cells, "td")).join("");
        // A table scrolls by itself where it is wider than the page.
        return `<div class="table" tabindex="0"><table><thead>${row(token.header, "th")}</thead><tbody>${body}</tbody></table></div>\n`;
      },
      code({ text: code, lang }) {
        return `<pre tabindex="0"><code class="language-${escape(lang ?? "text")}">${escape(code)}</code></pre>\n`;
      },
    },
  });
  return marked.parse(text, { async: false });
}

/** Inline Markdown of a title: only code. */
function inline(title: string): string {
  return escape(title).replace(/`([^`]+)`/g, "<code>$1</code>");
}

function plain(heading: string): string {
  return heading.replaceAll("`", "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}

function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
