// What is served for the mesh: each address with its state, its filter chains, and the calls that were denied last.

import {Commands, curl, outrigger} from './command.js';
import {get} from './data.js';
import {attr, cells, clock, el, keyed, setState, several, state, table, text} from './dom.js';

const PERIOD_MILLIS = 5_000; // between two readings while another view is in sight
const MOST_DENIED = 5;
const STATES = {SERVING: 'good', WAITING: 'wait', BIND_RETRY: 'bad', NOT_SERVING: 'bad'};

export class Serving {
  #readAt = 0;
  #listeners = [];

  constructor(page) {
    this.page = page;
    this.link = document.querySelector('nav a[href="#serving"]');
    this.list = el('div');
    this.none = el('p.card.empty', {hidden: ''}, 'Nothing is served: --serve names an address and its app.');
    this.commands = new Commands();
    this.element = el('div', {}, this.list, this.none, this.commands.element);
  }

  show() {}

  /** Shows the way to this view where something is served. */
  async follow() {
    if (Date.now() - this.#readAt < PERIOD_MILLIS) return;
    this.#readAt = Date.now();
    this.#listeners = await get('/listeners');
    this.link.hidden = !this.#listeners.length;
  }

  async refresh() {
    this.#readAt = 0;
    await this.follow();
    this.none.hidden = this.#listeners.length > 0;
    keyed(this.list, this.#listeners, each => each.name, listenerCard, (card, listener) => this.#update(card, listener));
    const first = this.#listeners[0]?.name ?? 'NAME';
    this.commands.set([curl('/listeners'), '/listeners'], [outrigger('explain', '--serve', first, '--peer', 'spiffe://…', '--path', '/PKG.SVC/METHOD')]);
  }

  #update(card, {name, listen, app, resource, state: word, error, chains, connections}) {
    const [head, about, reason, rows, title, denied] = card.children;
    const [heading, mark, open] = head.children;
    attr(card, 'aria-label', name);
    text(heading, name);
    setState(mark, word, undefined, error && word === 'SERVING' ? 'bad' : STATES[word] ?? 'idle');
    text(open, several(connections, 'connection'));
    text(about, [name === listen ? '' : listen, `to the app at ${app}`, resource && `Listener ${resource}`].filter(Boolean).join(', '));
    text(reason, error);
    attr(reason, 'class', word === 'WAITING' ? 'quiet' : 'error');
    rows.hidden = !chains.length;
    keyed(rows.lastChild, chains, chain => chain.name, chainRow, (row, chain) => {
      const [label, tls, certificate, filters] = row.children;
      text(label.firstChild, chain.name || 'without a name');
      text(tls.firstChild, chain.tls ? 'TLS' : 'plain text');
      text(certificate.firstChild, chain.client_certificate ? 'required' : 'not required');
      text(filters.firstChild, chain.filters.join(', '));
    });
    const events = this.page.events.all.filter(event => event.kind === 'denied' && event.subject === name);
    title.hidden = !events.length;
    keyed(denied, events.slice(-MOST_DENIED).reverse(), event => event.place, deniedLine, (line, event) => {
      text(line.firstChild, clock(event.time));
      text(line.lastChild, event.message);
    });
  }
}

function listenerCard() {
  return el('section.card.provider.served', {},
    el('div.bar', {}, el('h3.clip'), state('IDLE'), el('span.quiet')), el('p.quiet.about'), el('p'),
    table('chains', [['filter chain'], ['connections'], ['client certificate'], ['filters']], el('tbody')),
    el('h4', {hidden: ''}, 'Denied last'), el('ul.denied'));
}

function chainRow() {
  return cells(['filter chain', el('code')], ['connections', el('span')], ['client certificate', el('span')], ['filters', el('code')]);
}

function deniedLine() {
  return el('li', {}, el('time.quiet'), ' ', el('span'));
}
