// The page: views behind tabs. One timer refreshes the visible view each second.

import {Certs} from './certs.js';
import {Traffic, get, isKubernetes, readiness, verdict} from './data.js';
import {attr, el, glyph, setGlyph, text} from './dom.js';
import {EventLog, Events} from './events.js';
import {Overlay} from './overlay.js';
import {Overview} from './overview.js';
import {Resources} from './resources.js';
import {Tree} from './tree.js';

const PERIOD_MILLIS = 1_000;
const MAX_RETRY_MILLIS = 5_000; // milliseconds between attempts while the sidecar does not answer
const OVERVIEW_EVERY = 3; // while another view is visible, Overview, which reads the sources of all problems, is refreshed at every third refresh
const VIEWS = {overview: Overview, tree: Tree, resources: Resources, certs: Certs, events: Events, overlay: Overlay};

const byId = id => document.getElementById(id);

class Page {
  traffic = new Traffic();
  events = new EventLog(words => this.announce(words), () => this.#onEvents());
  #views = new Map();
  #current = null;
  #failures = 0; // failures in a row
  #timer = 0;
  #asked = 0;
  #servingKnown = false;
  serves = false; // whether the sidecar has served addresses
  problems; // the problems of resources, control planes and served addresses at the last refresh of Overview; undefined before that refresh, and after a failure
  certificates = []; // the latest answer of /certs

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

  /** Loads the views Serving and Kubernetes if the sidecar has such addresses or targets; called again after a restart. */
  async #loadOptionalViews(forwards) {
    if (!this.#servingKnown) {
      this.#servingKnown = true;
      this.serves = (await get('/listeners')).length > 0;
      if (this.serves) await this.#load('serving');
    }
    if (forwards.some(isKubernetes)) await this.#load('kubernetes');
  }

  async #load(name, byUser = false) {
    if (this.#views.has(name)) return;
    const module = await import(`./${name}.js`);
    if (this.#views.has(name)) return; // already loaded by an overlapping call
    this.#add(name, module[name[0].toUpperCase() + name.slice(1)]);
    document.querySelector(`nav a[href="#${name}"]`).hidden = false;
    if (location.hash.slice(1).split('?')[0] === name) this.#route(byUser);
  }

  /** Shows a view. The view is part of the page's address, so the address can be saved and shared. */
  go(view, query) {
    const next = '#' + view + (query ? '?' + new URLSearchParams(query) : '');
    if (location.hash !== next) location.hash = next;
    else this.#route(false); // the address is unchanged, so no event follows
  }

  #route(byUser) {
    const [name, query] = location.hash.slice(1).split('?');
    if (name === 'explain' && !this.#views.has(name)) {
      this.#load(name, byUser).catch(error => this.#disconnected(error));
      if (this.#current) return;
    }
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

  /** If refreshes overlap, only the latest refresh schedules the next refresh. */
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
        this.events.follow();
        await this.#views.get('overlay').follow(); // Overview lists its problems
        const current = this.#current;
        if (current !== 'overview') await this.#views.get(current).refresh(forwards, ready);
        if (turn !== this.#asked) return;
        if (current === 'overview' || !this.problems || turn % OVERVIEW_EVERY === 1) await this.#views.get('overview').refresh(forwards, ready);
        this.#connected(ready, forwards); // no frame lies between the cards of Overview and the light, also if a newer refresh has begun
        if (turn !== this.#asked) return;
        await this.#loadOptionalViews(forwards);
        document.body.dataset.fresh = String(Number(document.body.dataset.fresh ?? 0) + 1);
      } catch (error) {
        if (turn !== this.#asked) return;
        this.#disconnected(error);
      }
    }
    if (turn === this.#asked) this.#timer = setTimeout(() => this.#refresh(), Math.min(MAX_RETRY_MILLIS, PERIOD_MILLIS * (1 + this.#failures)));
  }

  #connected(ready, forwards) {
    if (this.#failures) this.announce('The sidecar answers again.');
    this.#failures = 0;
    document.body.classList.remove('stale');
    byId('problem').hidden = true;
    const {of, words} = verdict(ready, forwards, this.#views.get('overview').problemsOf(forwards));
    setGlyph(byId('light').firstChild, of);
    attr(byId('light'), 'class', 'state ' + of);
    text(byId('light').lastChild, words);
    attr(byId('light'), 'title', ready.reason);
  }

  #disconnected(error) {
    this.#failures++;
    this.problems = undefined;
    document.body.classList.add('stale');
    setGlyph(byId('light').firstChild, 'bad');
    attr(byId('light'), 'class', 'state bad');
    text(byId('light').lastChild, 'no answer');
    text(byId('problem'), `The sidecar does not answer (${error.message}). This page shows the last answers, and keeps trying.`);
    byId('problem').hidden = false;
  }

  #onEvents() {
    if (this.#current === 'events') this.#views.get('events').draw();
  }

  /** Screen readers speak the text after their current sentence. */
  announce(words) {
    text(byId('announcer'), words);
  }
}

new Page();
