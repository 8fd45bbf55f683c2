import "./disposal.ts";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./styles/layers.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/forced-colors.css";
import { App } from "./app.tsx";
import { loadConversation } from "./lazy.ts";
import { watchLinks } from "./inspector/transfer/incoming-link.ts";
import { openDialog } from "./layout/open-dialog.ts";
import { CrashScreen } from "./layout/crash-screen.tsx";
import { followVisibleHeight } from "./layout/visible-height.ts";
import { PageState } from "./state/page-state.ts";
import { warmUp } from "./warm-up.ts";

/** Milliseconds after the load at which the page's files are fetched for use without a network. */
const KEEP_AFTER_MS = 3000;

const root = document.getElementById("root");
if (!root) throw new Error("The page has no #root to draw in");

// The page is drawn while the session's code is still on its way.
const page = new PageState(async () => {
  const host = await (await import("./agent-host.ts")).createAgentHost();
  warmUp();
  return host;
});
createRoot(root).render(
  <StrictMode>
    <CrashScreen>
      <App page={page} />
    </CrashScreen>
  </StrictMode>,
);
followVisibleHeight();
watchLinks((fragment) => openDialog("import", { fragment }));
void page.start();
// After everything that the first screen needs.
if (import.meta.env.PROD && "serviceWorker" in navigator)
  addEventListener("load", () => {
    setTimeout(() => {
      // Without it the page needs the network, as others do.
      void import("./state/updates.ts").then(({ keepPage }) => keepPage()).catch(() => undefined);
    }, KEEP_AFTER_MS);
  });
for (const sign of ["keydown", "pointerdown"])
  addEventListener(sign, loadConversation, { once: true, passive: true });
