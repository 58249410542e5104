// Only these functions create elements. Text from outside becomes a text node or an attribute, so it cannot run as a script.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else attr(element, name, value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== ''));
  return element;
}

/** An element: `tag.class.class`, attributes (`onclick` is a listener), children (texts or elements). */
export function el(spec, attributes = {}, ...children) {
  const [tag, ...classes] = spec.split('.');
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(' ');
  return fill(element, attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Sets a text if it differs, so an unchanged page costs nothing. */
export function text(element, value) {
  const next = value === null || value === undefined ? '' : String(value);
  if ((element.firstChild?.data ?? '') !== next) element.textContent = next;
}

/** Sets an attribute if it differs; null, undefined and false remove the attribute. */
export function attr(element, name, value) {
  if (value === null || value === undefined || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else if (element.getAttribute(name) !== String(value)) {
    element.setAttribute(name, String(value));
  }
}

const keysOf = new WeakMap(); // parent -> Map of key -> child

/**
 * Gives `parent` one child per item, in the order of `items`. A child is kept as long as there is an item with its key.
 * `key(item, index)` returns the key, `create(item)` a new child; `update(child, item)` refreshes a child.
 */
export function keyed(parent, items, key, create, update) {
  const before = keysOf.get(parent) ?? new Map();
  const after = new Map();
  let place = parent.firstChild;
  for (const [index, item] of items.entries()) {
    let id = String(key(item, index));
    while (after.has(id)) id += '\u0000'; // two items with one name are two children
    const child = before.get(id) ?? create(item);
    before.delete(id);
    after.set(id, child);
    update(child, item);
    if (child === place) place = place.nextSibling;
    else parent.insertBefore(child, place);
  }
  for (const gone of before.values()) gone.remove();
  keysOf.set(parent, after);
}

// Each state has its own colour and its own shape, so that a reader needs only one of them.
const CIRCLE = 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2z';
const SHAPES = {
  good: CIRCLE,
  wait: CIRCLE + 'M8 4v8a4 4 0 0 0 0-8z',
  idle: CIRCLE + 'M8 4.2a3.8 3.8 0 1 0 0 7.6 3.8 3.8 0 0 0 0-7.6z',
  bad: 'M8 1.5 15 14H1z',
  out: 'M5 2h6l3 3v6l-3 3H5l-3-3V5zM5 5.9 7.1 8 5 10.1 5.9 11 8 8.9 10.1 11l.9-.9L8.9 8 11 5.9 10.1 5 8 7.1 5.9 5z',
  aside: 'M3 3h10v10H3zM5 7.2v1.6h6V7.2z',
};
const TONES = {
  READY: 'good', ACKED: 'good', CONNECTED: 'good',
  CONNECTING: 'wait', WAITING: 'wait', REQUESTED: 'wait', FALLBACK: 'wait', STALE: 'wait',
  IDLE: 'idle', STANDBY: 'idle', UNKNOWN: 'idle',
  TRANSIENT_FAILURE: 'bad', ERROR: 'bad', NACKED: 'bad', DOES_NOT_EXIST: 'bad', RECEIVED_ERROR: 'bad', TIMEOUT: 'bad',
  EJECTED: 'out',
  DRAINING: 'aside', UNHEALTHY: 'aside',
};

/** good, wait, idle, bad, out (ejected) or aside (left out by the control plane). */
export function tone(state) {
  return TONES[state] ?? 'idle';
}

export function shape(of) {
  return SHAPES[of];
}

export function glyph(of) {
  return svg('svg', {class: 'glyph ' + of, viewBox: '0 0 16 16', 'aria-hidden': 'true'}, svg('path', {d: SHAPES[of]}));
}

/** Returns a state as shape, colour and word. */
export function state(word) {
  const element = el('span.state', {}, glyph('idle'), el('span'));
  setState(element, word);
  return element;
}

export function setState(element, word, shown = words(word), of = tone(word)) {
  setGlyph(element.firstChild, of);
  attr(element, 'class', 'state ' + of);
  text(element.lastChild, shown);
}

export function setGlyph(element, of) {
  attr(element, 'class', 'glyph ' + of);
  attr(element.firstChild, 'd', SHAPES[of]);
}

/** TRANSIENT_FAILURE -> transient failure */
export function words(constant) {
  return String(constant ?? '').toLowerCase().replaceAll('_', ' ');
}

const ROUND = new Intl.NumberFormat('en', {maximumFractionDigits: 0});

export function count(value) {
  return ROUND.format(value);
}

export function several(n, noun) {
  return `${count(n)} ${noun}${n === 1 ? '' : 's'}`;
}

/** Returns a number with about three digits; a dash for an absent number. */
export function figure(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  return value === 0 || value >= 100 ? ROUND.format(value) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function percent(share) {
  if (share === null || share === undefined || Number.isNaN(share)) return '–';
  return share === 0 ? '0 %' : share < 0.001 ? '<0.1 %' : (share * 100).toFixed(share < 0.1 ? 1 : 0) + ' %';
}

export function millis(micros) {
  if (micros === null || micros === undefined) return '–';
  return micros < 1e6 ? figure(micros / 1e3) + ' ms' : figure(micros / 1e6) + ' s';
}

export function clock(instant) {
  const date = new Date(instant);
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleTimeString('en-GB');
}

/** Returns a table that becomes blocks on a narrow page; its roles keep it a table for screen readers. */
export function table(kind, columns, body) {
  body.setAttribute('role', 'rowgroup');
  return el('table.' + kind, {role: 'table'}, el('thead', {role: 'rowgroup'}, el('tr', {role: 'row'},
    columns.map(([name, numeric, title]) => el(numeric ? 'th.number' : 'th', {scope: 'col', role: 'columnheader', title}, name)))), body);
}

export function cells(...contents) {
  return el('tr', {role: 'row'}, contents.map(([label, content, numeric]) =>
    el(numeric ? 'td.number' : 'td', {role: 'cell', 'data-label': label}, content)));
}

/** Returns the day and the time of an instant. */
export function date(instant) {
  return new Date(instant).toLocaleString('en-GB', {dateStyle: 'medium', timeStyle: 'short'});
}

const UNITS = [['day', 86_400_000], ['hour', 3_600_000], ['minute', 60_000], ['second', 1_000]];

/** Returns a duration in the largest unit of which it has at least two. */
function rough(millis) {
  const [noun, unit] = UNITS.find(([, size]) => millis >= 2 * size) ?? UNITS.at(-1);
  return several(Math.floor(millis / unit), noun);
}

/** Returns the remaining validity of a certificate, in words and with a tone; `now` is in milliseconds. */
export function validity(notAfter, now) {
  const left = Date.parse(notAfter) - now;
  return left > 0 ? {of: 'good', words: rough(left) + ' left'} : {of: 'bad', words: `expired ${rough(Math.abs(left))} ago`};
}
