/** On which bars of a plot a label stands. Pure. */

/** Which of so many places have a label, if at most so many have room: the last one always has. */
export function labelledPlaces(count: number, most: number): number[] {
  const step = Math.max(1, Math.ceil(count / Math.max(1, most)));
  const places: number[] = [];
  for (let place = count - 1; place >= 0; place -= step) places.unshift(place);
  return places;
}
