// The LB tree of a forward as a picture that follows it, and its endpoints as a list.

import {Commands, curl, outrigger} from './command.js';
import {EndpointRates, endpointState, get, walk} from './data.js';
import {attr, count, el, figure, glyph, keyed, setGlyph, setState, several, shape, state, svg, text, tone, words} from './dom.js';
import {boxesOf, linesOf, place} from './layout.js';
import {List} from './list.js';
import {Detail} from './node.js';

const LEGEND = [
  ['good', 'ready'], ['wait', 'connecting'], ['idle', 'idle'], ['bad', 'failing'], ['out', 'ejected'], ['aside', 'left out'],
];
const FIELD_STATES = ['good', 'wait', 'idle', 'bad', 'out', 'aside'];

export class Tree {
  #rates = new EndpointRates();
  #forward = null;
  #answer = null;
  #boxes = [];
  #selected = null;
  #unfolded = new Set();
  #focus = null; // the row that the tab key reaches

  constructor(page) {
    this.page = page;
    this.select = el('select', {id: 'tree-forward', onchange: () => page.go('tree', {forward: this.select.value})});
    this.note = el('p.empty', {hidden: ''});
    this.lines = svg('svg', {class: 'lines', 'aria-hidden': 'true'});
    this.holder = el('div.boxes', {role: 'tree', 'aria-label': 'load-balancing tree', onkeydown: event => this.#onKey(event)});
    this.stage = el('div.stage', {}, this.lines, this.holder);
    this.detail = new Detail(page);
    this.filter = el('input', {type: 'search', placeholder: 'filter: address, locality, state', 'aria-label': 'filter endpoints', oninput: () => this.#drawList()});
    this.trouble = el('input', {type: 'checkbox', onchange: () => this.#drawList()});
    this.shown = el('span.quiet.number');
    this.list = new List({
      label: 'endpoints', row: endpointRow, update: (row, item) => this.#updateRow(row, item),
      key: item => item.id, pick: item => this.#choose({endpoint: item.endpoint, id: item.id}),
    });
    this.commands = new Commands();
    this.element = el('div', {},
      el('div.bar', {},
        el('label.field', {for: 'tree-forward'}, 'forward'), this.select,
        el('ul.legend', {'aria-label': 'legend'},
          LEGEND.map(([of, word]) => el('li', {}, glyph(of), word)),
          el('li', {}, el('span.stroke'), 'width: requests/s'))),
      this.note,
      this.stage,
      el('div.split', {}, this.detail.element, el('section.endpoints', {'aria-label': 'endpoints'},
        el('div.bar', {}, el('h3', {}, 'Endpoints'), this.filter, el('label.field', {}, this.trouble, ' only trouble'), el('span.grow'), this.shown),
        el('div.list-head.endpoint-row', {'aria-hidden': 'true'},
          ['address', 'state', 'locality', 'active', 'req/s', 'failing/s'].map((name, i) => el(i > 2 ? 'span.number' : 'span', {}, name))),
        this.list.element)),
      this.commands.element);
    new ResizeObserver(() => this.#draw()).observe(this.stage);
  }

  show(query) {
    if (query.forward && query.forward !== this.#forward) this.#use(query.forward);
  }

  #use(forward) {
    this.#forward = forward;
    this.#answer = null;
    this.#rates = new EndpointRates();
    this.#choose(null);
  }

  async refresh(forwards) {
    keyed(this.select, forwards, each => each.name, () => el('option'), (option, each) => {
      attr(option, 'value', each.name);
      text(option, `${each.name} → ${each.target}`);
    });
    if (!forwards.some(each => each.name === this.#forward)) {
      if (!forwards.length) return this.#say('No forwards.');
      this.#use(forwards[0].name);
    }
    this.select.value = this.#forward;
    const name = this.#forward;
    const path = '/lb?' + new URLSearchParams({forward: name});
    this.commands.set([curl(path), path], [outrigger('status', '--watch')]);
    const answer = (await get(path + '&detail=calls')).forwards[0];
    if (name !== this.#forward) return;
    this.#answer = answer;
    if (answer.root) this.#rates.apply(answer.root);
    this.#draw();
    this.#drawList();
    await this.detail.refresh(this.#forward);
  }

  #say(words) {
    text(this.note, words);
    this.note.hidden = !words;
  }

  #draw() {
    const root = this.#answer?.root;
    this.#say(!this.#answer ? '' : root ? '' : `${this.#forward} has no configuration yet; Overview says why.`);
    this.stage.hidden = !root;
    if (!root || !this.stage.clientWidth) return;
    this.#boxes = boxesOf(root, this.#unfolded);
    const {height, outline} = place(this.#boxes, this.stage.clientWidth);
    this.stage.style.height = height + 'px';
    keyed(this.lines, linesOf(this.#boxes, outline), line => line.id, () => svg('path'), (path, line) => {
      attr(path, 'd', line.d);
      attr(path, 'stroke-width', line.width);
      attr(path, 'class', line.used ? 'used' : line.dead ? 'dead' : '');
    });
    if (!this.#rows().some(row => row.id === this.#focus)) this.#focus = this.#rows()[0]?.id;
    keyed(this.holder, this.#boxes, box => box.id, newBox, (element, box) => this.#updateBox(element, box));
    this.#updateDetail();
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
    text(rate, box.rate && !isLit(box) ? figure(box.rate) + '/s' : '');
    fold.hidden = !box.foldable;
    text(fold, box.folded ? 'open' : 'close');
    attr(fold, 'aria-expanded', box.foldable ? !box.folded : null);
    attr(fold, 'aria-label', (box.folded ? 'open ' : 'close ') + box.title);
    fold.onclick = () => {
      if (!this.#unfolded.delete(box.id)) this.#unfolded.add(box.id);
      this.#draw();
    };
    keyed(rows, box.folded ? box.rows.slice(0, 1) : box.rows, row => row.id, () => this.#newRow(), (row, item) => this.#updateTreeRow(row, item, box));
    field.toggleAttribute('hidden', !box.field);
    if (box.field) this.#updateField(field, box);
  }

  #newRow() {
    const row = el('div.policy', {role: 'treeitem'}, glyph('idle'), el('span.name'), el('span.says'));
    row.addEventListener('click', () => this.#choose(row.item));
    return row;
  }

  #updateTreeRow(row, item, box) {
    row.item = item;
    const [mark, name, says] = row.children;
    const {node, endpoint} = item;
    const standing = node ? node.state : endpointState(endpoint);
    setGlyph(mark, tone(standing));
    text(name, node ? node.policy : endpoint.address);
    const short = node ? isLit(box) && node.rate ? figure(node.rate) + '/s' : brief(node) : endpoint.ejected ? this.countdown(endpoint.ejected) : endpoint.rate ? figure(endpoint.rate) + '/s' : '';
    text(says, short);
    attr(row, 'class', 'policy' + (endpoint ? ' endpoint ' + tone(standing) : ''));
    attr(row, 'aria-level', box.depth + 1);
    attr(row, 'aria-selected', item.id === this.#selected?.id);
    attr(row, 'tabindex', item.id === this.#focus ? 0 : -1);
    attr(row, 'aria-label', node
      ? `${box.title}, ${node.policy}, ${words(node.state)}${box.used ? ', in use' : ''}${node.detail ? ', ' + node.detail : ''}`
      : `endpoint ${endpoint.address}, ${words(standing)}${short ? ', ' + short : ''}`);
  }

  countdown(ejected) {
    const seconds = Math.ceil((Date.parse(ejected.until) - this.page.traffic.now()) / 1000);
    return seconds > 0 ? `back in ${seconds} s` : 'back at next sweep';
  }

  /** Endpoints as shapes: one path for all of a state, so that a thousand cost no more than ten. */
  #updateField(field, box) {
    const [caption, picture] = field.children;
    const tones = box.field.map(endpoint => tone(endpointState(endpoint)));
    const counts = FIELD_STATES.map(of => [of, tones.filter(each => each === of).length]).filter(([, n]) => n);
    const soonest = box.field.filter(each => each.ejected).sort((a, b) => a.ejected.until < b.ejected.until ? -1 : 1)[0];
    const summary = counts.map(([of, n]) => `${count(n)} ${LEGEND.find(([each]) => each === of)[1]}`).join(' · ');
    text(caption, `${several(box.field.length, 'endpoint')}: ${summary}${soonest ? `, first ${this.countdown(soonest.ejected)}` : ''}`);
    attr(caption, 'title', caption.textContent);
    const key = `${box.across} ${box.cell} ${tones.join('')}`;
    if (field.drawn === key) return;
    field.drawn = key;
    const lines = Math.ceil(tones.length / box.across);
    attr(picture, 'width', box.across * box.cell);
    attr(picture, 'height', lines * box.cell);
    const scale = (box.cell - 2) / 16;
    keyed(picture, FIELD_STATES.filter(of => tones.includes(of)), of => of, () => svg('g'), (group, of) => {
      attr(group, 'class', of);
      const places = tones.flatMap((each, i) => each === of ? [i] : []);
      keyed(group, [places], () => 0, () => svg('path'), path => attr(path, 'd', places
        .map(i => moved(of, (i % box.across) * box.cell + 1, Math.floor(i / box.across) * box.cell + 1, scale)).join('')));
    });
    picture.onclick = event => {
      const at = picture.getBoundingClientRect();
      const i = Math.floor((event.clientY - at.top) / box.cell) * box.across + Math.floor((event.clientX - at.left) / box.cell);
      const endpoint = box.field[i];
      if (endpoint) this.#choose({id: `${box.id}${endpoint.address}\u0002${i}`, endpoint});
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
      this.#choose(item);
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

  #choose(item) {
    this.#selected = item;
    if (item) this.#focus = item.id;
    this.#draw();
    this.#updateDetail();
    if (item) this.detail.element.scrollIntoView({block: 'nearest'});
    if (this.#forward) this.detail.refresh(this.#forward, true);
  }

  /** What is selected, as it is now. */
  #updateDetail() {
    const chosen = this.#selected;
    if (!chosen) return this.detail.set(null);
    if (chosen.node) {
      const box = this.#boxes.find(each => each.rows.some(row => row.id === chosen.id));
      const row = box?.rows.find(each => each.id === chosen.id);
      return this.detail.set(row ? {node: row.node, box} : null);
    }
    const address = chosen.endpoint.address;
    let found = null;
    walk(this.#answer.root, '', endpoint => { if (endpoint.address === address) found ??= endpoint; });
    this.detail.set(found && {endpoint: found, countdown: found.ejected && this.countdown(found.ejected)});
  }

  #drawList() {
    if (!this.#answer?.root) return this.list.set([]);
    const wanted = this.filter.value.trim().toLowerCase();
    const items = [];
    let all = 0;
    walk(this.#answer.root, '', (endpoint, path) => {
      all++;
      const standing = endpointState(endpoint);
      if (this.trouble.checked && standing === 'READY' && !endpoint.failing) return;
      if (wanted && !`${endpoint.address} ${endpoint.locality} ${words(standing)}`.toLowerCase().includes(wanted)) return;
      items.push({id: path + endpoint.address, endpoint, standing});
    });
    text(this.shown, items.length === all ? `${count(all)}` : `${count(items.length)} of ${count(all)}`);
    this.list.set(items);
  }

  #updateRow(row, {endpoint, standing}) {
    const [address, mark, locality, active, rate, failing] = row.children;
    text(address, endpoint.address);
    setState(mark, standing, endpoint.ejected ? 'ejected, ' + this.countdown(endpoint.ejected) : words(standing));
    text(locality, endpoint.locality);
    text(active, endpoint.active_requests);
    text(rate, figure(endpoint.rate));
    text(failing, figure(endpoint.failing));
  }
}

function endpointRow() {
  return el('div.endpoint-row', {}, el('code.clip'), state('IDLE'), el('span.clip'), el('span.number'), el('span.number'), el('span.number'));
}

function newBox() {
  return el('div.box', {role: 'none'},
    el('div.box-head', {role: 'none'}, el('strong.clip'), el('span.lit', {}, 'in use'), el('span.rate.number'), el('button.small', {type: 'button'})),
    el('div', {role: 'none'}),
    el('div.field-of', {role: 'none'}, el('div.caption.clip'), svg('svg', {'aria-hidden': 'true'})));
}

/** Whether this is what a priority policy has chosen. */
function isLit(box) {
  return box.used && box.parent?.rows.at(-1).node?.policy === 'priority';
}

/** What fits beside a policy's name. */
function brief(node) {
  return node.policy === 'round_robin' || node.policy.endsWith('_manager') || node.policy.endsWith('target') ? '' : node.detail;
}

/** A shape somewhere else and smaller. Its commands are absolute in part, so all are rewritten as numbers. */
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
