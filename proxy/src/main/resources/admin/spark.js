// A line of requests over time, with an area for the failed requests.

import {attr, figure, svg} from './dom.js';

const [WIDE, HIGH] = [150, 28];

export function spark() {
  return svg('svg', {class: 'spark', viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: 'none', role: 'img'},
    svg('path', {class: 'all'}), svg('path', {class: 'failed'}));
}

/**
 * @param series pairs of all requests and failed requests, the newest last
 * @param slots the number of pairs that fill the width
 * @param what the meaning in words: `requests per second over the last minute`
 */
export function setSpark(element, series, slots, what) {
  const most = 1.2 * Math.max(1, ...series.map(([all]) => all));
  const x = i => ((slots - series.length + i) / (slots - 1) * WIDE).toFixed(1);
  const y = value => (HIGH - 2 - value / most * (HIGH - 4)).toFixed(1);
  const line = of => series.map((pair, i) => `${i ? 'L' : 'M'}${x(i)} ${y(pair[of])}`).join('');
  const failing = series.some(([, failed]) => failed > 0);
  attr(element.firstChild, 'd', series.length > 1 ? line(0) : '');
  attr(element.lastChild, 'd', failing && series.length > 1 ? `${line(1)}L${x(series.length - 1)} ${HIGH}L${x(0)} ${HIGH}z` : '');
  attr(element, 'aria-label', `${what}, at most ${figure(Math.max(0, ...series.map(([all]) => all)))}`);
}

const MINUTES = 60;

/** Returns the minutes of /history as pairs of requests and errors per second; a minute without calls has zeros. */
export function hourOf(lists, now) {
  const byMinute = new Map();
  for (const {time, requests, errors} of lists.flat()) {
    const minute = Math.floor(Date.parse(time) / 60_000);
    const [all, failed] = byMinute.get(minute) ?? [0, 0];
    byMinute.set(minute, [all + requests / 60, failed + errors / 60]);
  }
  const last = Math.floor(now / 60_000) - 1; // the current minute is incomplete
  return Array.from({length: MINUTES}, (_, i) => byMinute.get(last - MINUTES + 1 + i) ?? [0, 0]);
}
