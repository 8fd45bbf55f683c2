import { ImageOff } from "lucide-react";
import type { MarkedToken, Token, Tokens } from "marked";
import {
  type CSSProperties,
  Fragment,
  memo,
  type ReactNode,
  use,
  useEffect,
  useReducer,
  useRef,
  useState,
} from "react";
import { useColors } from "../highlight/use-colors.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { decodeEntities } from "./entities.ts";
import { isInlineImage, linkTarget } from "./links.ts";
import { OpenPath } from "./open-path.ts";
import { createDrawing } from "./drawing.ts";
import { PLAIN } from "./parse.ts";
import "./markdown.css";

export interface MarkdownProps {
  text: string;
  streaming: boolean;
}

/**
 * A model's text as React elements. Raw HTML in it is shown as the text it is, links lead only where `linkTarget`
 * allows, and nothing is loaded from other servers.
 */
export const Markdown = memo(function Markdown({ text, streaming }: MarkdownProps) {
  const [drawing] = useState(createDrawing);
  const [, goOn] = useReducer((step: number) => step + 1, 0);
  const { groups, isWhole } = drawing.next(text, !streaming);
  useEffect(() => (isWhole ? undefined : onNextFrame(goOn)), [groups, isWhole]);
  return (
    <div data-part="markdown">
      {groups.map((tokens, index) => (
        // Blocks are only ever added or changed at the end, so the position names them.
        <Group key={index} tokens={tokens} />
      ))}
    </div>
  );
});

const Group = memo(function Group({ tokens }: { tokens: readonly Token[] }): ReactNode {
  return blocks(tokens);
});

const Block = memo(function Block({ token }: { token: Token }): ReactNode {
  if (token.type === PLAIN) return <p data-part="plain-text">{token.raw}</p>;
  // Without extensions the lexer makes no other tokens.
  const block = token as MarkedToken;
  switch (block.type) {
    case "heading": {
      // The page has its own first and second level.
      const Heading = headings[block.depth - 1] ?? "h6";
      return (
        <Heading dir="auto" data-depth={block.depth}>
          {inline(block.tokens)}
        </Heading>
      );
    }
    case "paragraph":
      return <p dir="auto">{inline(block.tokens)}</p>;
    case "code":
      return <CodeBlock text={block.text} language={block.lang?.split(/\s/)[0] ?? ""} />;
    case "blockquote":
      return <blockquote>{blocks(block.tokens)}</blockquote>;
    case "list":
      return <List list={block} />;
    case "table":
      return <Table table={block} />;
    case "hr":
      return <hr />;
    case "html":
      return block.block ? <p data-part="raw-html">{block.text.trim()}</p> : block.text;
    case "space":
    case "def":
      return null;
    default:
      return inlineToken(block);
  }
});

const headings = ["h3", "h4", "h5", "h6"] as const;

function onNextFrame(work: () => void): () => void {
  const frame = requestAnimationFrame(work);
  return () => cancelAnimationFrame(frame);
}

function blocks(tokens: readonly Token[]): ReactNode {
  return tokens.map((token, index) => <Block key={index} token={token} />);
}

function inline(tokens: readonly Token[]): ReactNode {
  return tokens.map((token, index) => (
    <Fragment key={index}>{inlineToken(token as MarkedToken)}</Fragment>
  ));
}

function inlineToken(token: MarkedToken): ReactNode {
  switch (token.type) {
    case "text":
      return token.tokens ? inline(token.tokens) : decodeEntities(token.text);
    case "escape":
    case "html":
      return token.text;
    case "strong":
      return <strong>{inline(token.tokens)}</strong>;
    case "em":
      return <em>{inline(token.tokens)}</em>;
    case "del":
      return <del>{inline(token.tokens)}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return <Link link={token} />;
    case "image":
      return <Picture image={token} />;
    case "checkbox":
      return <input type="checkbox" checked={token.checked} disabled aria-label="Task" />;
    default:
      return token.raw;
  }
}

function Link({ link }: { link: Tokens.Link }) {
  const openPath = use(OpenPath);
  const target = linkTarget(link.autolink ? link.href : decodeEntities(link.href));
  const content = inline(link.tokens);
  if (target.kind === "external") {
    return (
      <a href={target.url} title={target.url} target="_blank" rel="noopener noreferrer">
        {content}
      </a>
    );
  }
  if (target.kind === "path") {
    return (
      <button type="button" data-part="path-link" onClick={() => openPath(target.path)}>
        {content}
      </button>
    );
  }
  return <span title={`Blocked link: ${link.href}`}>{content}</span>;
}

function Picture({ image }: { image: Tokens.Image }) {
  if (isInlineImage(image.href)) return <img src={image.href} alt={image.text} />;
  return (
    <span data-part="image-off" title={image.href}>
      <ImageOff size={14} aria-hidden="true" />
      {image.text || "Image"} (not loaded)
    </span>
  );
}

function List({ list }: { list: Tokens.List }) {
  const items = list.items.map((item, index) => (
    <li key={index} data-task={item.task || undefined}>
      {blocks(item.tokens)}
    </li>
  ));
  if (!list.ordered) return <ul dir="auto">{items}</ul>;
  const start = list.start === "" ? 1 : list.start;
  const digits = String(start + list.items.length - 1).length;
  // The numbers stand in the padding, beyond which a finished turn is clipped.
  const style = { "--digits": `${digits}ch` } as CSSProperties;
  return (
    <ol dir="auto" start={start} style={style}>
      {items}
    </ol>
  );
}

function Table({ table }: { table: Tokens.Table }) {
  return (
    <div data-part="table" role="group" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th key={index} scope="col" data-align={cell.align ?? undefined}>
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} data-align={cell.align ?? undefined}>
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CodeBlock({ text, language }: { text: string; language: string }) {
  const code = useRef<HTMLElement>(null);
  useColors(code, text, language);
  return (
    <figure data-part="code-block">
      <figcaption>
        <span>{language || "text"}</span>
        <CopyButton text={text} what="code" />
      </figcaption>
      <pre tabIndex={0}>
        <code ref={code}>{text}</code>
      </pre>
    </figure>
  );
}
