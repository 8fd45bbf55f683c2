import type { ButtonHTMLAttributes, ReactNode } from "react";
import "../styles/layers.css";
import "./button.css";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /**
   * `primary` for the one expected action, `strong` for one that must stand out, `plain` for most, `bare` inside other
   * controls, `danger` for destructive ones and refusals.
   */
  look?: "primary" | "strong" | "plain" | "bare" | "danger";
  icon?: ReactNode;
  /** The key that does the same, shown at the end. */
  hint?: string;
}

export function Button({ look = "plain", icon, hint, children, ...rest }: ButtonProps) {
  return (
    <button type="button" data-part="button" data-look={look} {...rest}>
      {icon}
      <span>{children}</span>
      {hint && <kbd aria-hidden="true">{hint}</kbd>}
    </button>
  );
}

export interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** The accessible name, and the tooltip. */
  label: string;
  icon: ReactNode;
}

export function IconButton({ label, icon, ...rest }: IconButtonProps) {
  return (
    <button type="button" data-part="icon-button" aria-label={label} title={label} {...rest}>
      {icon}
    </button>
  );
}
