// The events of the sidecar, as they occur.

import {Commands, curl} from './command.js';
import {attr, clock, count, el, glyph, keyed, setGlyph, text, words} from './dom.js';
import {List} from './list.js';

const MAX_EVENTS = 2_000;
const SPOKEN_MILLIS = 8_000; // a screen reader speaks at most one event in this time
const TONES = {
  ack: 'good', ads_connected: 'good', uneject: 'good', nack: 'bad', resource_error: 'bad', ads_failed: 'bad', resource_deleted: 'bad', ads_closed: 'wait', stale: 'wait', state_problem: 'bad', eject: 'out',
  priority_switch: 'wait', drain: 'aside', memory: 'wait', gap: 'aside', certificate_loaded: 'good', certificate_failed: 'bad', dns: 'idle',
  forward_ready: 'good', forward_failed: 'bad', serving: 'good', not_serving: 'bad', denied: 'wait', rbac_removed: 'bad', peer_error: 'bad', all_endpoints_failing: 'bad', endpoints_back: 'good', default_timeout: 'wait',
};
const SPOKEN = new Set(['nack', 'ads_failed', 'stale', 'eject', 'priority_switch', 'drain', 'memory', 'certificate_failed', 'forward_failed', 'rbac_removed', 'all_endpoints_failing', 'endpoints_back']);

const FAILURE = /cannot be resolved|rules stay in use$/; // of a name, or of local policy

/** Returns the tone of an event. Some kinds are used for failures and for recoveries, so the message decides. */
export function toneOf({kind, message}) {
  if (kind === 'dns' || kind === 'overlay') return FAILURE.test(message) ? 'bad' : message.includes('is left out') ? 'wait' : 'idle';
  if (kind !== 'endpoint_state') return TONES[kind] ?? 'idle';
  return message.includes('cannot be connected to') ? 'bad' : message.endsWith('connection lost') ? 'wait' : 'good';
}

/** Reads /events as long as the page is open. */
export class EventLog {
  all = []; // oldest first
  missing = ''; // the reason why there are no events
  #seq = 0;
  #source = null;
  #spokenAt = 0;
  #drawing = false;

  constructor(announce, changed) {
    this.announce = announce;
    this.changed = changed;
  }

  /** Connects unless connected. After a lost connection, the browser connects again and requests the missed events. */
  follow() {
    if (this.#source || this.missing) return;
    const source = new EventSource('/events?since=' + this.#seq);
    let opened = false;
    this.#source = source;
    source.onopen = () => { opened = true; };
    source.onmessage = ({data}) => this.#hear(JSON.parse(data));
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return;
      this.#source = null;
      if (!opened) this.missing = 'This sidecar gives no events.';
      this.#draw();
    };
  }

  /** A new process numbers its events from 1 again. */
  restart(time) {
    this.#source?.close();
    this.#source = null;
    this.missing = '';
    this.#seq = 0;
    this.#add({seq: 0, time, kind: 'gap', forward: '', subject: '', message: 'the sidecar was started again'});
  }

  #hear(event) {
    if (event.seq <= this.#seq) return;
    const missed = this.#seq > 0 ? event.seq - this.#seq - 1 : 0;
    this.#seq = event.seq;
    if (missed > 0) {
      const {time} = event;
      this.#add({seq: 0, time, kind: 'gap', forward: '', subject: '', message: `${missed} events are no longer kept`});
    }
    this.#add(event);
    if (SPOKEN.has(event.kind) && Date.now() - this.#spokenAt > SPOKEN_MILLIS) {
      this.#spokenAt = Date.now();
      this.announce(`${words(event.kind)} ${event.subject}: ${event.message}`);
    }
  }

  #add(event) {
    this.all.push({...event, place: ++EventLog.#places});
    if (this.all.length > MAX_EVENTS) this.all.shift();
    this.#draw();
  }

  static #places = 0;

  /** Shows a burst of events at once. */
  #draw() {
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => {
      this.#drawing = false;
      this.changed();
    });
  }
}

export class Events {
  #paused = null; // the events that are shown while the view is paused

  constructor(page) {
    this.page = page;
    this.filter = el('input', {type: 'search', placeholder: 'filter: text, kind, forward', 'aria-label': 'filter events', oninput: () => this.draw()});
    this.kind = el('select', {'aria-label': 'kind', onchange: () => this.draw()}, el('option', {value: ''}, 'every kind'));
    this.pause = el('button', {type: 'button', 'aria-pressed': 'false', onclick: () => this.#toggle()}, 'Pause');
    this.shown = el('span.quiet.number');
    this.list = new List({label: 'events, newest first', row: eventRow, update: updateRow, key: event => event.place, pick: event => this.#showWhole(event)});
    this.whole = el('section.card.whole', {'aria-label': 'the chosen event', 'aria-live': 'polite', hidden: ''}, el('h3.clip'), el('p.quiet'), el('p'));
    this.empty = el('p.empty', {hidden: ''});
    this.commands = new Commands();
    this.commands.set([curl('/events?format=json'), '/events?format=json'], ['curl -sN ' + location.origin + '/events']);
    this.element = el('div', {},
      el('div.bar', {}, this.filter, this.kind, this.pause, el('span.grow'), this.shown),
      el('div.list-head.event-row', {'aria-hidden': 'true'}, ['time', 'kind', 'forward', 'subject', 'what happened'].map(name => el('span', {}, name))),
      this.list.element, this.empty, this.whole, this.commands.element);
  }

  show() {
    this.draw();
  }

  async refresh() {
    this.draw();
  }

  /** Shows the whole message of an event: a row has no room for long messages. */
  #showWhole(event) {
    const [title, about, message] = this.whole.children;
    this.whole.hidden = false;
    text(title, `${words(event.kind)} ${event.subject}`);
    text(about, [event.time, event.forward && `forward ${event.forward}`, `event ${event.seq}`].filter(Boolean).join(', '));
    text(message, event.message);
  }

  #toggle() {
    this.#paused = this.#paused ? null : [...this.page.events.all];
    attr(this.pause, 'aria-pressed', Boolean(this.#paused));
    text(this.pause, this.#paused ? 'Resume' : 'Pause');
    this.draw();
  }

  draw() {
    const log = this.page.events;
    const all = this.#paused ?? log.all;
    const kinds = [...new Set(all.map(event => event.kind))].sort();
    keyed(this.kind, ['', ...kinds], kind => kind, () => el('option'), (option, kind) => {
      attr(option, 'value', kind);
      text(option, kind ? words(kind) : 'every kind');
    });
    const wanted = this.filter.value.trim().toLowerCase();
    const items = all.filter(event => (!this.kind.value || event.kind === this.kind.value) &&
      (!wanted || `${words(event.kind)} ${event.forward} ${event.subject} ${event.message}`.toLowerCase().includes(wanted))).reverse();
    const waiting = this.#paused ? log.all.filter(event => event.place > (all.at(-1)?.place ?? 0)).length : 0;
    text(this.shown, `${items.length === all.length ? '' : count(items.length) + ' of '}${count(all.length)}${waiting ? `, ${count(waiting)} new while paused` : ''}`);
    this.empty.hidden = items.length > 0;
    text(this.empty, log.missing || (all.length ? 'Nothing matches.' : 'Nothing has happened yet.'));
    this.list.set(items);
  }
}

function eventRow() {
  return el('div.event-row', {}, el('time'), el('span.state', {}, glyph('idle'), el('span')), el('span.clip'), el('code.clip'), el('span.clip'));
}

function updateRow(row, event) {
  const [time, kind, forward, subject, message] = row.children;
  text(time, clock(event.time));
  attr(time, 'datetime', event.time);
  setGlyph(kind.firstChild, toneOf(event));
  text(kind.lastChild, words(event.kind));
  text(forward, event.forward);
  text(subject, event.subject);
  attr(subject, 'title', event.subject);
  text(message, event.message);
  attr(message, 'title', event.message);
}
