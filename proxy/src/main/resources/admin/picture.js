// The picture of a tree: boxes and lines. The element of a box or line is kept as long as its node exists.

import {endpointState} from './data.js';
import {attr, count, el, glyph, keyed, setGlyph, several, shape, svg, text, tone, words} from './dom.js';
import {boxesOf, linesOf, place} from './layout.js';

/** Each tone with the word for it, in the order of a caption. */
export const TONES = [
  ['good', 'ready'], ['wait', 'connecting'], ['idle', 'idle'], ['bad', 'failing'], ['out', 'ejected'], ['aside', 'left out'],
];

export class Picture {
  #root = null;
  #clusters = [];
  #boxes = [];
  #selected = null;
  #unfolded = new Set();
  #focus = null; // the row that the Tab key focuses

  /**
   * @param options.label for screen readers
   * @param options.amount returns the meaning of a line in words: (rate), such as 12.5/s
   * @param options.says returns the text beside an endpoint: (endpoint)
   * @param options.soonest returns the text about the ejected endpoint that returns first: (ejected)
   * @param options.choose called when a row is chosen: ({id, node} or {id, endpoint})
   */
  constructor(options) {
    this.options = options;
    this.lines = svg('svg', {class: 'lines', 'aria-hidden': 'true'});
    this.holder = el('div.boxes', {role: 'tree', 'aria-label': options.label, onkeydown: event => this.#onKey(event)});
    this.element = el('div.stage', {}, this.lines, this.holder);
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** @param clusters of the root, those to be shown */
  set(root, clusters = root?.children) {
    this.#root = root;
    this.#clusters = clusters;
    this.draw();
  }

  /** Marks a row. */
  select(item) {
    this.#selected = item;
    if (item) this.#focus = item.id;
    this.draw();
  }

  /** Returns the current row with an id, and its box; null if there is no such row. */
  find(id) {
    for (const box of this.#boxes) {
      const row = box.rows.find(each => each.id === id);
      if (row) return {...row, box};
    }
    return null;
  }

  draw() {
    this.element.hidden = !this.#root;
    if (!this.#root || !this.element.clientWidth) return;
    this.#boxes = boxesOf(this.#root, this.#unfolded, this.#clusters);
    const {height, outline} = place(this.#boxes, this.element.clientWidth);
    this.element.style.height = height + 'px';
    keyed(this.lines, linesOf(this.#boxes, outline), line => line.id, () => svg('path'), (path, line) => {
      attr(path, 'd', line.d);
      attr(path, 'stroke-width', line.width);
      attr(path, 'class', line.used ? 'used' : line.dead ? 'dead' : '');
    });
    if (!this.#rows().some(row => row.id === this.#focus)) this.#focus = this.#rows()[0]?.id;
    keyed(this.holder, this.#boxes, box => box.id, newBox, (element, box) => this.#updateBox(element, box));
  }

  #updateBox(element, box) {
    attr(element, 'class', 'box' + (box.used ? ' used' : '') + (box.title === null ? ' leaves' : ''));
    const {style} = element;
    const put = (name, value) => { if (style[name] !== value) style[name] = value; };
    put('transform', `translate(${box.x}px, ${box.y}px)`);
    put('width', box.w + 'px');
    put('height', box.h + 'px');
    const [head, rows, field] = element.children;
    head.hidden = box.title === null;
    const [title, chip, rate, fold] = head.children;
    chip.hidden = !isLit(box);
    text(title, box.title);
    attr(title, 'title', box.title);
    rate.hidden = isLit(box);
    text(rate, box.rate && !isLit(box) ? this.options.amount(box.rate) : '');
    fold.hidden = !box.foldable;
    text(fold, box.folded ? 'open' : 'close');
    attr(fold, 'aria-expanded', box.foldable ? !box.folded : null);
    attr(fold, 'aria-label', (box.folded ? 'open ' : 'close ') + box.title);
    fold.onclick = () => {
      if (!this.#unfolded.delete(box.id)) this.#unfolded.add(box.id);
      this.draw();
    };
    keyed(rows, box.folded ? box.rows.slice(0, 1) : box.rows, row => row.id, () => this.#newRow(), (row, item) => this.#updateTreeRow(row, item, box));
    field.toggleAttribute('hidden', !box.field);
    if (box.field) this.#updateField(field, box);
  }

  #newRow() {
    const row = el('div.policy', {role: 'treeitem'}, glyph('idle'), el('span.name'), el('span.says'));
    row.addEventListener('click', () => this.options.choose(row.item));
    return row;
  }

  #updateTreeRow(row, item, box) {
    row.item = item;
    const [mark, name, says] = row.children;
    const {node, endpoint} = item;
    const standing = node ? node.state : endpointState(endpoint);
    setGlyph(mark, tone(standing));
    text(name, node ? node.policy : endpoint.address);
    attr(name, 'title', name.textContent);
    const short = node ? isLit(box) && node.rate ? this.options.amount(node.rate) : brief(node) : this.options.says(endpoint);
    text(says, short);
    attr(says, 'title', node?.detail || short);
    attr(row, 'class', 'policy' + (node && isLit(box) ? ' rated' : '') + (endpoint ? ' endpoint ' + tone(standing) : ''));
    attr(row, 'aria-level', box.depth + 1);
    attr(row, 'aria-selected', item.id === this.#selected?.id);
    attr(row, 'tabindex', item.id === this.#focus ? 0 : -1);
    attr(row, 'aria-label', node
      ? `${box.title}, ${node.policy}, ${words(node.state)}${box.used ? ', in use' : ''}${node.detail ? ', ' + node.detail : ''}`
      : `endpoint ${endpoint.address}, ${words(standing)}${short ? ', ' + short : ''}`);
  }

  /** Draws endpoints as shapes: one path per state, so that a thousand endpoints cost as little as ten. */
  #updateField(field, box) {
    const [caption, picture] = field.children;
    const tones = box.field.map(endpoint => tone(endpointState(endpoint)));
    const counts = TONES.map(([of, word]) => [tones.filter(each => each === of).length, word]).filter(([n]) => n);
    const soonest = box.field.filter(each => each.ejected).sort((a, b) => a.ejected.until < b.ejected.until ? -1 : 1)[0];
    const summary = counts.map(([n, word]) => `${count(n)} ${word}`).join(' · ');
    text(caption, `${several(box.field.length, 'endpoint')}: ${summary}${soonest ? `, first ${this.options.soonest(soonest.ejected)}` : ''}`);
    attr(caption, 'title', caption.textContent);
    const key = `${box.across} ${box.cell} ${tones.join('')}`;
    if (field.drawn === key) return;
    field.drawn = key;
    const lines = Math.ceil(tones.length / box.across);
    attr(picture, 'width', box.across * box.cell);
    attr(picture, 'height', lines * box.cell);
    const scale = (box.cell - 2) / 16;
    keyed(picture, TONES.map(([of]) => of).filter(of => tones.includes(of)), of => of, () => svg('g'), (group, of) => {
      attr(group, 'class', of);
      const places = tones.flatMap((each, i) => each === of ? [i] : []);
      keyed(group, [places], () => 0, () => svg('path'), path => attr(path, 'd', places
        .map(i => moved(of, (i % box.across) * box.cell + 1, Math.floor(i / box.across) * box.cell + 1, scale)).join('')));
    });
    picture.onclick = event => {
      const at = picture.getBoundingClientRect();
      const i = Math.floor((event.clientY - at.top) / box.cell) * box.across + Math.floor((event.clientX - at.left) / box.cell);
      const endpoint = box.field[i];
      if (endpoint) this.options.choose({id: `${box.id}${endpoint.address}\u0002${i}`, endpoint});
    };
  }

  #rows() {
    return this.#boxes.flatMap(box => box.folded ? box.rows.slice(0, 1) : box.rows);
  }

  /** Arrow keys go through the rows in the order of the tree; left and right, to the box above and below. */
  #onKey(event) {
    const item = event.target.item;
    if (!item) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.options.choose(item);
      return;
    }
    const rows = this.#rows();
    const at = rows.findIndex(row => row.id === item.id);
    const box = this.#boxes.find(each => each.rows.some(row => row.id === item.id));
    const to = {
      ArrowDown: rows[at + 1], ArrowUp: rows[at - 1], Home: rows[0], End: rows.at(-1),
      ArrowLeft: box.parent?.rows.at(-1), ArrowRight: box.children.find(child => child.rows.length)?.rows[0],
    }[event.key];
    if (!to) return;
    event.preventDefault();
    this.#focus = to.id;
    for (const row of this.holder.querySelectorAll('.policy')) {
      attr(row, 'tabindex', row.item.id === to.id ? 0 : -1);
      if (row.item.id === to.id) row.focus();
    }
  }
}

function newBox() {
  return el('div.box', {role: 'none'},
    el('div.box-head', {role: 'none'}, el('strong.clip'), el('span.lit', {}, 'in use'), el('span.rate.number'), el('button.small', {type: 'button'})),
    el('div', {role: 'none'}),
    el('div.field-of', {role: 'none'}, el('div.caption.clip'), svg('svg', {'aria-hidden': 'true'})));
}

/** Returns whether a priority policy has chosen this box. */
function isLit(box) {
  return box.used && box.parent?.rows.at(-1).node?.policy === 'priority';
}

/** Returns the text that fits beside a policy's name; the tooltip has the whole text. */
function brief(node) {
  return node.policy === 'round_robin' || node.policy.endsWith('_manager') || node.policy.endsWith('target') ? '' : node.detail.replace(/ endpoints are(?= ejected)| for sessions alone/, '');
}

/** Returns a shape moved and scaled. Some of its path commands are absolute, so all coordinates are rewritten. */
const parsed = new Map();
function moved(of, x, y, scale) {
  if (!parsed.has(of)) parsed.set(of, shape(of).match(/[a-zA-Z]|-?\d*\.?\d+/g));
  let command = '';
  let argument = 0;
  return parsed.get(of).map(token => {
    if (/[a-zA-Z]/.test(token)) {
      command = token;
      argument = 0;
      return token;
    }
    const n = argument++;
    const value = Number(token);
    const lower = command.toLowerCase();
    if (lower === 'a') {
      const i = n % 7;
      if (i === 2 || i === 3 || i === 4) return token + ' ';
      const offset = command === 'a' || i < 2 ? 0 : i === 5 ? x : y;
      return (value * scale + offset).toFixed(1) + ' ';
    }
    if (command === lower) return (value * scale).toFixed(1) + ' ';
    const offset = command === 'H' ? x : command === 'V' ? y : n % 2 ? y : x;
    return (value * scale + offset).toFixed(1) + ' ';
  }).join('');
}
