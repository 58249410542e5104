// The page: views behind tabs, and one clock that brings the view in sight up to date each second.

import {Certs} from './certs.js';
import {Traffic, get, readiness, verdict} from './data.js';
import {attr, el, glyph, setGlyph, text} from './dom.js';
import {EventLog, Events} from './events.js';
import {Explain} from './explain.js';
import {Overlay} from './overlay.js';
import {Overview} from './overview.js';
import {Resources} from './resources.js';
import {Tree} from './tree.js';

const PERIOD = 1_000;
const SLOWEST = 5_000; // between attempts while the sidecar is not there
const VIEWS = {overview: Overview, tree: Tree, resources: Resources, certs: Certs, events: Events, explain: Explain, overlay: Overlay};

const byId = id => document.getElementById(id);

class Page {
  traffic = new Traffic();
  events = new EventLog(words => this.announce(words), () => this.#onEvents());
  #views = new Map();
  #current = null;
  #lost = 0; // failures in a row
  #timer = 0;
  #asked = 0;
  #servingKnown = false;

  constructor() {
    for (const [name, View] of Object.entries(VIEWS)) this.#add(name, View);
    byId('light').append(glyph('idle'), el('span', {}, 'connecting'));
    window.addEventListener('hashchange', () => this.#route(true));
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.#refreshNow(); });
    this.#route(false);
  }

  #add(name, View) {
    const view = new View(this);
    this.#views.set(name, view);
    byId(name).append(view.element);
  }

  /** Loads the view of served addresses where there are any; another process may have some. */
  async #followServing() {
    if (this.#servingKnown) return;
    this.#servingKnown = true;
    if (this.#views.has('serving') || !(await get('/listeners')).length) return;
    this.#add('serving', (await import('./serving.js')).Serving);
    document.querySelector('nav a[href="#serving"]').hidden = false;
    if (location.hash === '#serving') this.#route(false);
  }

  /** Shows a view; its address can be kept and sent. */
  go(view, query) {
    const next = '#' + view + (query ? '?' + new URLSearchParams(query) : '');
    if (location.hash !== next) location.hash = next;
  }

  #route(byUser) {
    const [name, query] = location.hash.slice(1).split('?');
    const chosen = this.#views.has(name) ? name : 'overview';
    const moved = chosen !== this.#current;
    this.#current = chosen;
    for (const each of this.#views.keys()) byId(each).hidden = each !== chosen;
    document.querySelectorAll('nav a').forEach(link => attr(link, 'aria-current', link.hash === '#' + chosen ? 'page' : null));
    const heading = byId(chosen).querySelector('h2');
    document.title = `${heading.textContent} · Outrigger`;
    if (moved && byUser) heading.focus();
    this.#views.get(chosen).show(Object.fromEntries(new URLSearchParams(query)));
    this.#refreshNow();
  }

  #refreshNow() {
    clearTimeout(this.#timer);
    this.#refresh();
  }

  /** Only the latest of overlapping refreshes sets the next. */
  async #refresh() {
    const turn = ++this.#asked;
    if (!document.hidden) {
      try {
        const [ready, forwards, calls] = await Promise.all([readiness(), get('/forwards'), get('/calls')]);
        if (turn !== this.#asked) return;
        if (this.traffic.add(calls)) {
          this.events.restart(calls.time);
          this.#servingKnown = false;
        }
        this.#connected(ready, forwards);
        this.events.follow();
        await this.#views.get(this.#current).refresh(forwards, ready);
        await this.#views.get('overlay').follow();
        await this.#followServing();
        document.body.dataset.fresh = String(Number(document.body.dataset.fresh ?? 0) + 1);
      } catch (error) {
        if (turn !== this.#asked) return;
        this.#disconnected(error);
      }
    }
    if (turn === this.#asked) this.#timer = setTimeout(() => this.#refresh(), Math.min(SLOWEST, PERIOD * (1 + this.#lost)));
  }

  #connected(ready, forwards) {
    if (this.#lost) this.announce('The sidecar answers again.');
    this.#lost = 0;
    document.body.classList.remove('stale');
    byId('problem').hidden = true;
    const {of, words} = verdict(ready, forwards);
    setGlyph(byId('light').firstChild, of);
    attr(byId('light'), 'class', 'state ' + of);
    text(byId('light').lastChild, words);
    attr(byId('light'), 'title', ready.reason);
  }

  #disconnected(error) {
    this.#lost++;
    document.body.classList.add('stale');
    setGlyph(byId('light').firstChild, 'bad');
    attr(byId('light'), 'class', 'state bad');
    text(byId('light').lastChild, 'no answer');
    text(byId('problem'), `The sidecar does not answer (${error.message}). What is shown is what it said last; this page goes on trying.`);
    byId('problem').hidden = false;
  }

  #onEvents() {
    if (this.#current === 'events') this.#views.get('events').draw();
  }

  /** Said by screen readers when they are done with what they say. */
  announce(words) {
    text(byId('announcer'), words);
  }
}

new Page();
