/** Names of themes, for `--theme` and `ROBOTA_THEME`. */
export const THEME_NAMES = ["terminal", "dark", "light", "plain"] as const;
export type ThemeName = (typeof THEME_NAMES)[number];
