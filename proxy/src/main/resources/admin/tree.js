// The LB tree of a forward as a live picture, and its endpoints as a list.

import {Commands, curl, outrigger} from './command.js';
import {EndpointRates, endpointState, get, placeName, walk} from './data.js';
import {attr, count, el, figure, glyph, keyed, setState, state, text, words} from './dom.js';
import {isMany} from './layout.js';
import {List} from './list.js';
import {Detail} from './node.js';
import {Picture, TONES} from './picture.js';

const MAX_CLUSTERS = 12; // the number of clusters that are shown; a search finds the others
const URGENCY = {TRANSIENT_FAILURE: 0, EJECTED: 0, UNHEALTHY: 1, CONNECTING: 1};
const byUrgency = (a, b) => (URGENCY[a] ?? 2) - (URGENCY[b] ?? 2);

export class Tree {
  #rates = new EndpointRates();
  #forward = null;
  #answer = null;
  #selected = null;

  constructor(page) {
    this.page = page;
    this.select = el('select', {id: 'tree-forward', onchange: () => page.go('tree', {forward: this.select.value})});
    this.search = el('input', {type: 'search', placeholder: 'search: cluster, state', 'aria-label': 'search clusters', oninput: () => this.#draw()});
    this.found = el('span.quiet', {role: 'status'});
    this.searching = el('div.bar', {hidden: ''}, this.search, this.found);
    this.note = el('p.empty', {hidden: ''});
    this.picture = new Picture({
      label: 'load-balancing tree', amount: rate => figure(rate) + '/s',
      says: endpoint => endpoint.ejected ? this.#countdown(endpoint.ejected) : endpoint.rate ? figure(endpoint.rate) + '/s' : '',
      soonest: ejected => this.#countdown(ejected), choose: item => this.#choose(item),
    });
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
          TONES.map(([of, word]) => el('li', {}, glyph(of), word)),
          el('li', {}, el('span.stroke'), 'width: requests/s'))),
      this.searching,
      this.note,
      this.picture.element,
      el('div.split', {}, this.detail.element, el('section.endpoints', {'aria-label': 'endpoints'},
        el('div.bar', {}, el('h3', {}, 'Endpoints'), this.filter, el('label.field', {}, this.trouble, ' only trouble'), el('span.grow'), this.shown),
        el('div.list-head.endpoint-row', {'aria-hidden': 'true'},
          ['address', 'state', 'locality', 'active', 'req/s', 'failing/s', 'security'].map((name, i) => el(i > 2 ? 'span.number' : 'span', {}, name))),
        this.list.element)),
      this.commands.element);
  }

  show(query) {
    if (query.cluster) this.search.value = query.cluster;
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
    this.#say(!this.#answer || root ? '' : `${this.#forward} has no configuration yet; Overview says why.`);
    this.picture.set(root ?? null, root && this.#clusters(root.children));
    this.#updateDetail();
  }

  /** Returns the clusters that match the search; failing clusters come first. */
  #clusters(all) {
    this.searching.hidden = !isMany(all);
    if (!isMany(all)) return all;
    const wanted = this.search.value.trim().toLowerCase();
    const matches = all.filter(each => `${each.name} ${words(each.state)}`.toLowerCase().includes(wanted))
      .sort((a, b) => byUrgency(a.state, b.state)); // stable
    const shown = matches.slice(0, MAX_CLUSTERS);
    const of = matches.length < all.length ? `${count(matches.length)} of ${count(all.length)} clusters match` : `${count(all.length)} clusters`;
    text(this.found, shown.length < matches.length ? `${of}, ${count(shown.length)} are shown: search for others` : of);
    return shown;
  }

  #countdown(ejected) {
    const seconds = Math.ceil((Date.parse(ejected.until) - this.page.traffic.now()) / 1000);
    return seconds > 0 ? `back in ${seconds} s` : 'back at next sweep';
  }

  #choose(item) {
    this.#selected = item;
    this.picture.select(item);
    this.#updateDetail();
    if (item) this.detail.element.scrollIntoView({block: 'nearest'});
    if (this.#forward) this.detail.refresh(this.#forward, true).catch(() => {}); // the next refresh shows the error
  }

  /** Returns the current state of the selected row. */
  #updateDetail() {
    const chosen = this.#selected;
    if (!chosen || !this.#answer?.root) return this.detail.set(null);
    if (chosen.node) return this.detail.set(this.picture.find(chosen.id));
    const {address} = chosen.endpoint;
    let found = null;
    walk(this.#answer.root, '', endpoint => { if (endpoint.address === address) found ??= endpoint; });
    this.detail.set(found && {endpoint: found, countdown: found.ejected && this.#countdown(found.ejected)});
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
    this.list.set(items.sort((a, b) => byUrgency(a.standing, b.standing))); // stable
  }

  #updateRow(row, {endpoint, standing}) {
    const [address, mark, locality, active, rate, failing, security] = row.children;
    text(address, endpoint.address);
    setState(mark, standing, endpoint.ejected ? 'ejected, ' + this.#countdown(endpoint.ejected) : words(standing));
    text(locality, placeName(endpoint.locality));
    text(active, endpoint.active_requests);
    text(rate, figure(endpoint.rate));
    text(failing, figure(endpoint.failing));
    text(security, endpoint.tls ? endpoint.tls.protocol.replace('TLSv', 'TLS ') : endpoint.state === 'READY' ? 'plain' : '');
  }
}

function endpointRow() {
  return el('div.endpoint-row', {}, el('code.clip'), state('IDLE'), el('span.clip'), el('span.number'), el('span.number'), el('span.number'), el('span.number'));
}
