// The served addresses: each with its state, its filter chains, and the latest denied calls.

import {Commands, curl, outrigger} from './command.js';
import {get} from './data.js';
import {attr, clock, el, keyed, setState, several, state, text} from './dom.js';

const MAX_DENIED = 5;
const STATES = {SERVING: 'good', WAITING: 'wait', BIND_RETRY: 'bad', NOT_SERVING: 'bad'};

export class Serving {
  constructor(page) {
    this.page = page;
    this.list = el('div');
    this.none = el('p.card.empty', {hidden: ''}, 'Nothing is served: --serve names an address and its app.');
    this.commands = new Commands();
    this.element = el('div', {}, this.list, this.none, this.commands.element);
  }

  show() {}

  async refresh() {
    const listeners = await get('/listeners');
    this.none.hidden = listeners.length > 0;
    keyed(this.list, listeners, each => each.name, listenerCard, (card, listener) => this.#update(card, listener));
    const first = listeners[0]?.name ?? 'NAME';
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
    reason.hidden = !error;
    attr(reason, 'class', word === 'WAITING' ? 'quiet' : 'error');
    keyed(rows, chains, chain => chain.name, line, (row, chain) => {
      text(row.firstChild, `chain ${chain.name || 'without a name'}:`);
      text(row.lastChild, `${chain.tls ? 'TLS' : 'plain text'}${chain.client_certificate ? ', client certificate required' : ''}, filters ${chain.filters.join(', ')}`);
    });
    const events = this.page.events.all.filter(event => event.kind === 'denied' && event.subject === name);
    title.hidden = !events.length;
    keyed(denied, events.slice(-MAX_DENIED).reverse(), event => event.place, line, (row, event) => {
      text(row.firstChild, clock(event.time));
      text(row.lastChild, event.message);
    });
  }
}

function listenerCard() {
  return el('section.card.provider.served', {}, el('div.bar', {}, el('h3.clip'), state('IDLE'), el('span.quiet')), el('p.quiet'), el('p'),
    el('ul'), el('h4', {hidden: ''}, 'Denied last'), el('ul'));
}

function line() {
  return el('li', {}, el('span.quiet'), ' ', el('span'));
}
