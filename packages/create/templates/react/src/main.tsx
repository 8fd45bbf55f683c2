import { browserPlatform } from "@robota/adapters-web";
import { InteractiveSession } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";
import { createRoot } from "react-dom/client";
import { Chat } from "./chat.tsx";

// A script answers. For a model, pass a provider such as AnthropicProvider of @robota/runtime/providers/anthropic.
const session = new InteractiveSession({
  platform: browserPlatform(),
  provider: new OfflineProvider(),
  sessionId: "main", // a reload opens the same session
  takeOver: true,
});

createRoot(document.querySelector("#root")!).render(<Chat session={session} />);
