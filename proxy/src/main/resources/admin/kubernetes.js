// The Kubernetes Services that are targets of forwards: their pods by zone, and whether the API server answers.

import {Commands, curl} from './command.js';
import {endpointState, get, isKubernetes, standing, walk} from './data.js';
import {attr, cells, count, el, keyed, setState, state, table, text, tone} from './dom.js';
import {TONES} from './picture.js';

export class Kubernetes {
  constructor(page) {
    this.page = page;
    this.list = el('div');
    this.none = el('p.card.empty', {hidden: ''}, 'No forward leads to a service of Kubernetes, such as k8s:///orders.shop:8080.');
    this.commands = new Commands();
    this.element = el('div', {}, this.list, this.none, this.commands.element);
  }

  show() {}

  async refresh(forwards) {
    const services = forwards.filter(isKubernetes);
    const {resources} = await get('/xds');
    const cards = await Promise.all(services.map(async forward => ({
      forward, error: errorOf(resources, forward.target), zones: zonesOf((await get('/lb?' + new URLSearchParams({forward: forward.name}))).forwards[0].root),
    })));
    this.none.hidden = cards.length > 0;
    keyed(this.list, cards, each => each.forward.name, serviceCard, updateCard);
    this.commands.set(...services.slice(0, 1).map(({name}) => '/lb?' + new URLSearchParams({forward: name})).map(path => [curl(path), path]), [curl('/xds'), '/xds']);
  }
}

/** Returns why the endpoints of a Service are unknown or may be out of date. */
function errorOf(resources, target) {
  return resources.filter(each => each.name === target).map(each => each.errorState?.details ?? each.connectivityError).find(Boolean) ?? '';
}

/** Returns the number of pods by zone and state. */
function zonesOf(root) {
  const zones = new Map();
  if (!root) return [];
  walk(root, '', endpoint => {
    const zone = endpoint.locality.split('/')[1] || 'no zone';
    if (!zones.has(zone)) zones.set(zone, {zone, counts: {}});
    const of = tone(endpointState(endpoint));
    const {counts} = zones.get(zone);
    counts[of] = (counts[of] ?? 0) + 1;
  });
  return [...zones.values()].sort((a, b) => a.zone < b.zone ? -1 : 1);
}

function serviceCard() {
  return el('section.card.provider', {}, el('div.bar', {}, el('h3.clip'), state('IDLE'), el('a')), el('p.error'),
    table('zones', [['zone'], ...TONES.map(([, word]) => [word === 'left out' ? 'draining' : word, true])], el('tbody')));
}

function updateCard(card, {forward, error, zones}) {
  const [head, reason, rows] = card.children;
  const [title, mark, link] = head.children;
  const {of, words} = standing(forward);
  attr(card, 'aria-label', forward.target);
  text(title, forward.target);
  setState(mark, forward.state, words, of ?? undefined);
  text(link, `forward ${forward.name}`);
  attr(link, 'href', '#tree?' + new URLSearchParams({forward: forward.name}));
  text(reason, error || forward.error);
  rows.hidden = !zones.length;
  keyed(rows.lastChild, zones, each => each.zone, () => cells(['zone', ''], ...TONES.map(([, word]) => [word === 'left out' ? 'draining' : word, '', true])),
    (row, {zone, counts}) => {
      text(row.firstChild, zone);
      TONES.forEach(([tone], i) => {
        text(row.children[i + 1], count(counts[tone] ?? 0));
        attr(row.children[i + 1], 'class', 'number' + (counts[tone] && ['bad', 'out'].includes(tone) ? ' ' + tone : ''));
      });
    });
}
