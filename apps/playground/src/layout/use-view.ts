import { useState } from "react";
import { WORKSPACE_ROOT } from "../constants.ts";
import { useReadable } from "@robota/react";
import { panelOpen, panelWidth, sessionsOpen } from "../state/preferences.ts";
import { NARROW, PHONE, useMedia } from "../ui/use-media.ts";
import type { PhoneTab } from "./phone-tabs.tsx";
import type { PanelTab } from "./panel-tab.ts";

export type View = ReturnType<typeof useView>;

/** The visible parts of the page. */
export function useView() {
  const phone = useMedia(PHONE);
  const narrow = useMedia(NARROW);
  const sessionsShown = useReadable(sessionsOpen);
  const panelShown = useReadable(panelOpen);
  const width = useReadable(panelWidth);
  const [drawer, setDrawer] = useState(false);
  const [map, setMap] = useState(false);
  const [panelTab, setPanelTab] = useState<PanelTab>("files");
  const [onChat, setOnChat] = useState(true);
  const [path, setPath] = useState<string>();

  function showPanel(tab: PanelTab) {
    setPanelTab(tab);
    setOnChat(false);
    panelOpen.set(true);
  }

  return {
    phone,
    narrow,
    sessionsShown,
    panelShown,
    width,
    /** The drawer opens only where the list has no room beside the conversation. */
    drawer: drawer && narrow,
    map,
    panelTab,
    onChat,
    path,
    setPath,
    showPanel,
    toggleSessions: () => (narrow ? setDrawer(!drawer) : sessionsOpen.set(!sessionsShown)),
    togglePanel: () => panelOpen.set(!panelShown),
    closeDrawer: () => setDrawer(false),
    showMap: () => setMap(true),
    closeMap: () => setMap(false),
    openPath: (linked: string) => {
      setPath(linked.startsWith(`${WORKSPACE_ROOT}/`) ? linked : `${WORKSPACE_ROOT}${linked}`);
      showPanel("files");
    },
    selectPhoneTab: (tab: PhoneTab) => {
      if (tab === "chat") setOnChat(true);
      else showPanel(tab);
    },
  };
}
