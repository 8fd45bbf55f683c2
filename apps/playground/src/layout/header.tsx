import { Menu, PanelLeft, PanelRight } from "lucide-react";
import { useContextUsage } from "@robota/react";
import type { InteractiveSession } from "@robota/runtime";
import { IconButton } from "../ui/button.tsx";
import { ContextMeter } from "./context-meter.tsx";
import { ModelChip } from "./model-chip.tsx";
import { SettingsMenu } from "./settings-menu.tsx";
import "./header.css";

export interface HeaderProps {
  title: string;
  session: InteractiveSession | undefined;
  /** One column: the sessions are in a drawer, and the tabs at the bottom replace the panel's button. */
  narrow: boolean;
  phone: boolean;
  sessionsShown: boolean;
  panelShown: boolean;
  onSessions: () => void;
  onPanel: () => void;
  onKeyboardMap: () => void;
}

export function Header(props: HeaderProps) {
  const { title, session, narrow, phone, sessionsShown, panelShown } = props;
  const usage = useContextUsage(session);
  return (
    <header data-part="header">
      <IconButton
        label={narrow ? "Sessions" : sessionsShown ? "Hide sessions" : "Show sessions"}
        icon={narrow ? <Menu size={18} /> : <PanelLeft size={17} />}
        aria-pressed={narrow ? undefined : sessionsShown}
        onClick={props.onSessions}
      />
      <Logo />
      <h1 data-part="header-title" title={title}>
        {title}
      </h1>
      {session && usage && <ContextMeter usage={usage} />}
      <ModelChip />
      <SettingsMenu onKeyboardMap={props.onKeyboardMap} />
      {!phone && (
        <IconButton
          label={panelShown ? "Hide files and log" : "Show files and log"}
          icon={<PanelRight size={17} />}
          aria-pressed={panelShown}
          onClick={props.onPanel}
        />
      )}
    </header>
  );
}

function Logo() {
  return (
    <span data-part="logo">
      <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
        <rect width="32" height="32" rx="8" />
        <path d="M9 11.5 14 16l-5 4.5" />
        <path d="M17 21h6.5" />
      </svg>
      Robota
    </span>
  );
}
