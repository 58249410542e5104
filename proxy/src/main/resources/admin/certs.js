// The certificates of the sidecar: its identities and their validity, the trusted roots, and why newer files are not in use.

import {Commands, curl, outrigger} from './command.js';
import {get} from './data.js';
import {attr, cells, count, date, el, keyed, setState, state, table, text, validity} from './dom.js';

const MAX_ROOTS = 5;
const SOON_SHARE = 0.2; // the share of a certificate's validity in which its end counts as soon
const SOON_MILLIS = 30 * 86_400_000;

/** Returns the problems of certificates: expired identities, identities that expire soon, and files that are not in use. */
export function certificateProblems(providers, now) {
  return providers.flatMap(provider => {
    const {of, words} = summary(provider, now);
    if (of === 'good' || (of === 'wait' && !provider.loaded)) return [];
    return [{of, href: '#certs', text: `certificate ${provider.instance}: ${words}${provider.error ? `; ${provider.error}` : ''}`}];
  });
}

/** Returns a provider's error, else the first expiry in its chain, else the first expiry among its roots. */
function summary({certificates, roots, loaded, error}, now) {
  if (!loaded) return {of: error ? 'bad' : 'wait', words: error ? 'nothing in use' : 'being read'};
  const all = (certificates.length ? certificates : roots).map(each => standing(each, now));
  const worst = all.find(({of}) => of === 'bad') ?? all.find(({of}) => of === 'wait');
  if (worst?.of === 'bad') return worst;
  if (error) return {of: 'bad', words: worst ? worst.words : 'the newest files are not in use'};
  return worst ?? {of: 'good', words: 'in use'};
}

const RANKS = {bad: 0, wait: 1};

/** Returns the result of `validity`, with the tone `wait` near the end: most certificates are renewed at a half or two thirds of their validity. */
function standing({not_before, not_after}, now) {
  const [from, to] = [Date.parse(not_before), Date.parse(not_after)];
  if (from > now) return {of: 'bad', words: 'not valid yet'};
  const valid = validity(not_after, now);
  const isSoon = to - now < Math.min(SOON_MILLIS, SOON_SHARE * (to - from));
  return valid.of === 'good' && isSoon ? {of: 'wait', words: valid.words} : valid;
}

const nameOf = certificate => certificate.uri_sans[0] ?? certificate.dns_sans[0] ?? certificate.subject;

export class Certs {
  #now;

  constructor(page) {
    this.page = page;
    this.list = el('div');
    this.none = el('p.card.empty', {hidden: ''}, 'The bootstrap names no certificate provider.');
    this.commands = new Commands();
    this.commands.set([outrigger('certs')], [curl('/certs'), '/certs']);
    this.element = el('div', {}, this.list, this.none, this.commands.element);
  }

  show() {}

  async refresh() {
    const providers = this.page.certificates = await get('/certs');
    this.#now = this.page.traffic.now();
    this.none.hidden = providers.length > 0;
    const urgency = provider => RANKS[summary(provider, this.#now).of] ?? 2;
    providers.sort((a, b) => urgency(a) - urgency(b)); // stable
    keyed(this.list, providers, each => each.instance, providerCard, (card, provider) => this.#update(card, provider));
  }

  #update(card, provider) {
    const [head, error, rows, more] = card.children;
    const [name, mark, about] = head.children;
    attr(card, 'aria-label', provider.instance);
    text(name, provider.instance);
    const {of, words} = summary(provider, this.#now);
    setState(mark, '', words, of);
    text(about, [provider.plugin, provider.loaded && 'loaded ' + date(provider.loaded)].filter(Boolean).join(', '));
    text(error, provider.error);
    const items = [
      ...provider.certificates.map((certificate, i) => ({certificate, kind: i ? 'issuer' : 'identity'})),
      ...provider.roots.slice(0, MAX_ROOTS).map(certificate => ({certificate, kind: 'root'})),
    ];
    rows.hidden = !items.length;
    keyed(rows.lastChild, items, ({certificate, kind}) => `${kind} ${certificate.serial} ${certificate.subject}`, certificateRow,
      (row, item) => this.#updateRow(row, item));
    const others = provider.roots.length - MAX_ROOTS;
    text(more, others > 0 ? `and ${count(others)} more roots, which /certs lists` : '');
  }

  #updateRow(row, {certificate, kind}) {
    const [name, role, serial, from, to, left] = row.children;
    const [known, others] = name.firstChild.children;
    text(known, nameOf(certificate));
    attr(known, 'title', nameOf(certificate));
    const rest = [certificate.subject, ...certificate.uri_sans, ...certificate.dns_sans].filter(each => each !== nameOf(certificate)).join(', ');
    text(others, rest);
    attr(others, 'title', rest);
    text(role, kind);
    text(serial.firstChild, certificate.serial);
    attr(serial.firstChild, 'title', certificate.serial);
    for (const [cell, instant] of [[from, certificate.not_before], [to, certificate.not_after]]) {
      text(cell.firstChild, date(instant));
      attr(cell.firstChild, 'datetime', instant);
      attr(cell.firstChild, 'title', instant);
    }
    const {of, words} = standing(certificate, this.#now);
    setState(left.firstChild, '', words, of);
  }
}

function providerCard() {
  return el('section.card.provider', {},
    el('div.bar', {}, el('h3.clip'), state('IDLE'), el('span.quiet')), el('p.error'),
    table('certificates', [['name'], ['kind'], ['serial'], ['valid from'], ['valid until'], ['left']], el('tbody')), el('p.quiet.more'));
}

function certificateRow() {
  return cells(['name', el('div', {}, el('code.clip'), el('div.quiet.clip'))], ['kind', ''], ['serial', el('code.clip')],
    ['valid from', el('time')], ['valid until', el('time')], ['left', state('IDLE')]);
}
