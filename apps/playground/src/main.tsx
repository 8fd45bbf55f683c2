import "./disposal.ts";
import { StrictMode } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import "./styles/layers.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/forced-colors.css";
import "./first-screen.css";
import { App } from "./app.tsx";
import { takeFirstInput } from "./first-input.ts";
import { loadConversation } from "./lazy.ts";
import { watchLinks } from "./inspector/transfer/incoming-link.ts";
import { openDialog } from "./layout/open-dialog.ts";
import { CrashScreen } from "./layout/crash-screen.tsx";
import { followVisibleHeight } from "./layout/visible-height.ts";
import { PageState } from "./state/page-state.ts";
import { warmUp, whenLeftAlone } from "./warm-up.ts";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no #root to draw in");

// The page is drawn while the session's code is still on its way.
const page = new PageState(async () => {
  const host = await (await import("./agent-host.ts")).createAgentHost();
  warmUp();
  return host;
});
const clickAgain = takeFirstInput(root);
void page.start();
// At once, so that no key is lost between the first screen and the page.
flushSync(() =>
  createRoot(root).render(
    <StrictMode>
      <CrashScreen>
        <App page={page} />
      </CrashScreen>
    </StrictMode>,
  ),
);
delete root.dataset["firstScreen"];
followVisibleHeight();
watchLinks((fragment) => openDialog("import", { fragment }));
clickAgain();
if (import.meta.env.PROD && "serviceWorker" in navigator)
  whenLeftAlone(() => {
    // Without it the page needs the network, as others do.
    void import("./state/updates.ts").then(({ keepPage }) => keepPage()).catch(() => undefined);
  });
for (const sign of ["keydown", "pointerdown"])
  addEventListener(sign, loadConversation, { once: true, passive: true });
