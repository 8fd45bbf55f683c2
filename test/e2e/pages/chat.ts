// A page of a person's own: React, useChat, and the address of a session.
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import { createElement as h, type ReactNode, useState } from "react";
import { createRoot } from "react-dom/client";

const query = new URLSearchParams(location.search);
const transport = new DefaultChatTransport({
  api: `${query.get("session")}/messages?profile=ai-sdk-ui`,
  headers: { authorization: `Bearer ${query.get("token")}` },
});

function Chat(): ReactNode {
  const { messages, sendMessage, addToolApprovalResponse, status, error } = useChat({
    transport,
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const [text, setText] = useState("");
  const parts = messages.flatMap((message) => message.parts);
  return h(
    "main",
    null,
    h("p", { id: "status" }, error ? error.message : status),
    parts.map((part, index) => {
      if (part.type === "text") return h("p", { key: index }, part.text);
      if (part.type !== "dynamic-tool") return null;
      const { toolName, state, approval } = part;
      const answer = (): void =>
        void addToolApprovalResponse({ id: approval?.id ?? "", approved: true });
      return h(
        "p",
        { key: index, className: "tool" },
        `${toolName} ${state}`,
        state === "approval-requested" ? h("button", { onClick: answer }, "Allow") : null,
      );
    }),
    h("input", {
      value: text,
      onChange: (event: { target: { value: string } }) => setText(event.target.value),
    }),
    h("button", { id: "send", onClick: () => void sendMessage({ text }) }, "Send"),
  );
}

const root = document.createElement("div");
document.body.append(root);
createRoot(root).render(h(Chat));
