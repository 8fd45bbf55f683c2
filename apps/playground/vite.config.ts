import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig, type Plugin } from "vite";
import { firstScreen } from "./first-screen-plugin.ts";
import { pageHead } from "./page-head-plugin.ts";
import { publishedHeaders } from "./published-headers.ts";
import { serviceWorkerFiles } from "./service-worker-plugin.ts";

/** `vite preview` answers as the published site does. */
function headersOfPreview(): Plugin {
  return {
    name: "published-headers",
    configurePreviewServer: ({ middlewares }) => {
      middlewares.use((request, response, next) => {
        const { pathname } = new URL(request.url ?? "/", "http://localhost");
        response.setHeaders(new Map(Object.entries(publishedHeaders(pathname))));
        next();
      });
    },
  };
}

/**
 * LightningFS is the front of the page's files and is always given the backend behind it. The one that it brings along
 * for others, with its polyfills and locks, would be a thirtieth of the first load.
 */
function withoutOwnBackend(): Plugin {
  const absent = 'module.exports = class { constructor() { throw new Error("No backend"); } };';
  return {
    name: "without-own-backend",
    enforce: "pre",
    load: (id) => (id.endsWith("lightning-fs/src/DefaultBackend.js") ? absent : undefined),
  };
}

/**
 * Files by the moment at which their modules are needed, each with all that it imports: a page that waits for its first
 * question loads five instead of a hundred.
 */
const moments = [
  { name: "page", tags: ["$initial"], priority: 5 },
  {
    name: "files",
    test: /[\\/](?:playground[\\/]src[\\/](?:agent-host|files[\\/]file-toolbar)|adapters-web[\\/]src[\\/]file-system[\\/]journal|react[\\/]src[\\/]store[\\/]open-directories)\.tsx?$/,
    priority: 4,
  },
  {
    name: "session",
    test: /[\\/](?:playground[\\/]src[\\/]open-session|runtime[\\/]src[\\/]interactive[\\/]configure-session)\.ts$/,
    priority: 3,
  },
  {
    name: "turn",
    test: /runtime[\\/]src[\\/](?:session[\\/](?:refresh-configuration|turn[\\/](?:run-turn|turn-runner)|files[\\/]changes|hooks[\\/]hook-checks|approvals[\\/](?:requests|rule-engine|untrusted)|trace[\\/]request-record)|permissions[\\/](?:engine|evaluate|read-only[\\/]read-only-commands)|interactive[\\/](?:project[\\/]kinds[\\/]node|settings[\\/](?:refresh-settings|resolve-settings))|hooks[\\/]read-executors|agent[\\/]tool-batch|tools[\\/](?:web[\\/]untrusted|builtin[\\/]bash-run)|virtual[\\/]dry-run)\.ts$|playground[\\/]src[\\/]provider\.ts$|[\\/]worker-shell\.ts$|[\\/]@cfworker[\\/]json-schema[\\/]/,
    priority: 2,
  },
  {
    name: "conversation",
    test: /playground[\\/]src[\\/](?:chat[\\/](?:turns[\\/](?:turn-view|reading-place)|start[\\/]sample)|approval[\\/]approval-dock|approval[\\/]request-preview|changes[\\/]turn-summary|sessions[\\/]session-rows|diff[\\/]diff-list)\.tsx?$|node_modules[\\/]diff[\\/]/,
    priority: 1,
  },
];

/** The same in the shell's worker: the interpreter, and the commands that most command lines use. */
const shellMoments = [
  { name: "shell", test: /shell[\\/]src[\\/](?:engine[\\/]engine|execution)\.ts$/, priority: 2 },
  {
    name: "commands",
    test: /shell[\\/]src[\\/]commands[\\/](?:sed[\\/]|search[\\/]grep|files[\\/](?:ls|mkdir|rm)|text[\\/](?:cat|cut|head|sort|tail|tr|uniq|wc))|runtime[\\/]src[\\/]linear-regexp[\\/](?!load\.)/,
    priority: 1,
  },
];

const resolve = { conditions: ["@robota/source", ...defaultClientConditions] };

export default defineConfig({
  // Relative addresses, so that the built files work under any path of a static host.
  base: "./",
  plugins: [
    react(),
    pageHead(),
    firstScreen(import.meta.dirname, resolve),
    withoutOwnBackend(),
    headersOfPreview(),
    serviceWorkerFiles(join(import.meta.dirname, "public")),
  ],
  resolve,
  worker: {
    format: "es",
    rolldownOptions: { output: { codeSplitting: { groups: shellMoments } } },
  },
  build: {
    // Beside the compiler's output, which `dist` also holds.
    outDir: "dist/site",
    target: ["chrome123", "firefox120", "safari17.5"],
    manifest: true,
    // A single file, so that the order of rules is that of the imports, independent of lazy loading.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: { groups: moments },
      },
    },
  },
});
