// Colours of the board: the usual ones and a set that colour-blind eyes can tell apart, each for light and dark pages.
// `words` are what the help calls start and goal.

const PALETTES = {
  "standard light": {
    words: { start: "green", goal: "red" },
    wall: [64, 66, 72],
    ground: [252, 252, 250],
    light: [253, 240, 210],
    heavy: [176, 108, 58],
    open: [152, 240, 152],
    updated: [214, 188, 250],
    pruned: [226, 226, 222],
    subgoal: [255, 196, 120],
    closed: [190, 228, 247],
    closedLast: [104, 166, 224],
    path: [255, 214, 0],
    outline: [52, 44, 0],
    start: [0, 176, 48],
    goal: [226, 32, 28],
    door: [168, 92, 26],
    doorInk: [255, 255, 255],
    edited: [190, 24, 168],
    line: [30, 34, 44, 0.13],
    ink: "#20242c",
    halo: "rgba(255, 255, 255, 0.9)",
  },
  "standard dark": {
    words: { start: "green", goal: "red" },
    wall: [13, 14, 17],
    ground: [62, 67, 77],
    light: [92, 80, 58],
    heavy: [168, 104, 58],
    open: [92, 176, 100],
    updated: [158, 128, 208],
    pruned: [84, 88, 97],
    subgoal: [206, 142, 66],
    closed: [118, 168, 204],
    closedLast: [48, 102, 164],
    path: [255, 220, 40],
    outline: [24, 20, 0],
    start: [36, 204, 84],
    goal: [244, 72, 64],
    door: [206, 130, 60],
    doorInk: [24, 16, 8],
    edited: [248, 122, 230],
    line: [0, 0, 0, 0.26],
    ink: "#f0f2f6",
    halo: "rgba(16, 18, 22, 0.9)",
  },
  "safe light": {
    words: { start: "blue", goal: "orange" },
    wall: [52, 52, 52],
    ground: [255, 255, 255],
    light: [244, 236, 226],
    heavy: [150, 122, 96],
    open: [250, 184, 104],
    updated: [222, 150, 190],
    pruned: [228, 228, 228],
    subgoal: [0, 158, 115],
    closed: [182, 220, 244],
    closedLast: [78, 146, 208],
    path: [240, 228, 66],
    outline: [0, 0, 0],
    start: [0, 80, 160],
    goal: [205, 80, 0],
    door: [0, 114, 96],
    doorInk: [255, 255, 255],
    edited: [150, 40, 120],
    line: [30, 34, 44, 0.13],
    ink: "#20242c",
    halo: "rgba(255, 255, 255, 0.9)",
  },
  "safe dark": {
    words: { start: "light blue", goal: "orange" },
    wall: [12, 12, 12],
    ground: [64, 66, 71],
    light: [88, 82, 74],
    heavy: [150, 122, 96],
    open: [232, 176, 96],
    updated: [192, 110, 158],
    pruned: [78, 80, 84],
    subgoal: [0, 158, 115],
    closed: [128, 174, 206],
    closedLast: [40, 98, 160],
    path: [240, 228, 66],
    outline: [0, 0, 0],
    start: [170, 235, 255],
    goal: [230, 110, 20],
    door: [60, 190, 160],
    doorInk: [8, 24, 20],
    edited: [240, 150, 205],
    line: [0, 0, 0, 0.26],
    ink: "#f0f2f6",
    halo: "rgba(16, 18, 22, 0.9)",
  },
};

export const palette = (style, theme) => PALETTES[`${style} ${theme}`] ?? PALETTES["standard light"];

export const css = ([red, green, blue, own = 1], alpha = own) => `rgba(${red}, ${green}, ${blue}, ${alpha})`;

/** One pixel as the 32 bits of an ImageData on a little-endian machine. */
export const pixel = ([red, green, blue, alpha = 1]) =>
  ((Math.round(255 * alpha) << 24) | (blue << 16) | (green << 8) | red) >>> 0;

export const between = (first, last, share) => first.map((value, i) => Math.round(value + share * (last[i] - value)));

/** The colour of a number: neighbours are a golden section of the hues apart, and differ in brightness too. */
export function hue(number, dark) {
  const turn = 6 * ((number * 0.6180339887498949) % 1);
  const value = (dark ? 0.62 : 1) - 0.07 * (number % 3);
  const saturation = 0.26 + 0.1 * (number % 2);
  return [5, 3, 1].map((shift) => {
    const k = (shift + turn) % 6;
    return Math.round(255 * (value - value * saturation * Math.max(0, Math.min(k, 4 - k, 1))));
  });
}
