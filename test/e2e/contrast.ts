/** A violation of WCAG 2.2's contrast for text; large text needs less. */
export interface ContrastProblem {
  text: string;
  ratio: number;
}

/**
 * Texts of the page whose contrast is below the AA level. Runs in the page, so it is one function on its own. Colours
 * are laid over each other as they are painted; text on pictures does not occur.
 */
export function lowContrast(): ContrastProblem[] {
  type Color = [red: number, green: number, blue: number, alpha: number];
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  if (!canvas) throw new Error("No canvas");

  const parse = (color: string): Color => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0, alpha = 0] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = ([r, g, b, a]: Color, [r2, g2, b2]: Color): Color => [
    r * a + r2 * (1 - a),
    g * a + g2 * (1 - a),
    b * a + b2 * (1 - a),
    1,
  ];
  const background = (element: Element): Color => {
    const layers: Color[] = [];
    for (let at: Element | null = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color[3] > 0) layers.push(color);
      if (color[3] === 1) break;
    }
    return layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255, 1] as Color);
  };
  const luminance = ([red, green, blue]: Color): number => {
    const linear = [red, green, blue].map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * (linear[0] ?? 0) + 0.7152 * (linear[1] ?? 0) + 0.0722 * (linear[2] ?? 0);
  };

  const problems: ContrastProblem[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    const text = node.textContent?.trim();
    if (!text || !element?.checkVisibility({ opacityProperty: true, visibilityProperty: true })) {
      continue;
    }
    // WCAG exempts controls that can't be operated.
    if (element.closest("[data-part=visually-hidden], :disabled, option, noscript")) continue;
    const style = getComputedStyle(element);
    const below = background(element);
    const [a, b] = [luminance(over(parse(style.color), below)), luminance(below)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = Number.parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) problems.push({ text, ratio: Math.round(ratio * 100) / 100 });
  }
  return problems;
}
