import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type HtmlTagDescriptor, type Plugin, type Rolldown } from "vite";

/** Runs before everything else. Inlined, since the parser would wait for a file. */
const script = readFileSync(new URL("head.js", import.meta.url), "utf8");
const scriptHash = createHash("sha256").update(script).digest("base64");

/**
 * The page runs agents and may hold keys, so only its own files may run, and text never becomes a script. Users connect
 * services of their own, so requests may go to every host over HTTPS, and without it only to servers on this machine.
 * Framing is restricted by a header: `public/_headers`. The development server injects inline scripts, so the policy is
 * part of the build only.
 */
const policy = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${scriptHash}'`,
  "worker-src 'self' blob:",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "frame-src 'self'",
  "manifest-src 'self'",
  "connect-src 'self' https: http://localhost:* http://127.0.0.1:*",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types default workspace-preview",
].join("; ");

/** Files of the shell's worker that its first command needs. */
const OF_SHELL = /^assets\/(?:shell-worker|shell|commands|rolldown-runtime)-[\w-]{8}\.js$/;

/** Heads the page with its policy, its first script, and the files that it fetches when it has nothing else to do. */
export function pageHead(): Plugin {
  return {
    name: "page-head",
    transformIndexHtml: {
      order: "post",
      handler: (_html, { bundle }) => [
        ...(bundle ? [meta("Content-Security-Policy", policy)] : []),
        { tag: "script", children: script, injectTo: "head-prepend" },
        ...(bundle ? [later(bundle)] : []),
      ],
    },
  };
}

function meta(name: string, content: string): HtmlTagDescriptor {
  return { tag: "meta", attrs: { "http-equiv": name, content }, injectTo: "head-prepend" };
}

/** The addresses of these files, for `src/warm-up.ts`. */
function later(bundle: Rolldown.OutputBundle): HtmlTagDescriptor {
  const files = Object.keys(bundle)
    .filter((name) => OF_SHELL.test(name))
    .map((name) => `<a href="./${name}"></a>`);
  return { tag: "template", attrs: { id: "later" }, children: files.join(""), injectTo: "body" };
}
