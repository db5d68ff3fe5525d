// Which combinations of algorithm and grid exist, and why the others do not.

const list = (words) => (words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words[0]);

/** Why an algorithm cannot search on such a grid, or null. */
export function refusal(algorithm, grid, weighted) {
  if (!algorithm.topologies.includes(grid.topology)) {
    return `${algorithm.name} works on ${list(algorithm.topologies)} grids only.`;
  }
  if (grid.topology === "octile" && !algorithm.corners.includes(grid.corners)) {
    return `${algorithm.name} needs the corner rule ${algorithm.corners.join(" or ")}.`;
  }
  if (weighted && !algorithm.weights) return `${algorithm.name} needs a map without terrain weights.`;
  return null;
}

/** The same for a list of chosen algorithms: the first refusal, with what to do. */
export function refusalOfAny(algorithms, grid, weighted) {
  for (const algorithm of algorithms) {
    const reason = refusal(algorithm, grid, weighted);
    if (reason) return reason;
  }
  return null;
}

export const defaults = (options) => Object.fromEntries(options.map((option) => [option.name, option.default]));

/** Only what differs from the defaults, which is what requests and links carry. */
export function changed(options, values) {
  const differs = ({ name, default: standard }) =>
    name in values && JSON.stringify(values[name]) !== JSON.stringify(standard);
  return Object.fromEntries(options.filter(differs).map(({ name }) => [name, values[name]]));
}
