// Where a request would go, and why.

import {Commands, curl, outrigger} from './command.js';
import {Refused, get} from './data.js';
import {attr, el, keyed, text, words} from './dom.js';

export class Explain {
  constructor(page) {
    this.page = page;
    this.forward = el('select', {id: 'explain-forward', name: 'forward'});
    this.path = el('input', {id: 'explain-path', name: 'path', required: '', value: '/pkg.Service/Method', spellcheck: 'false', autocapitalize: 'off'});
    this.method = el('input', {id: 'explain-method', name: 'method', value: 'POST', size: '6', spellcheck: 'false'});
    this.headers = el('textarea', {id: 'explain-headers', name: 'headers', rows: '2', placeholder: 'one a line, x-user: jane', spellcheck: 'false'});
    this.problem = el('p.error', {role: 'alert', hidden: ''});
    this.answer = el('div.answer', {'aria-live': 'polite'});
    this.commands = new Commands();
    const field = (label, input) => el('label.stacked', {for: input.id}, el('span', {}, label), input);
    this.element = el('div', {},
      el('form.explain', {onsubmit: event => { event.preventDefault(); this.#ask(); }},
        field('forward', this.forward), field('method', this.method), field('path', this.path), field('headers', this.headers),
        el('button.primary', {type: 'submit'}, 'Explain')),
      this.problem, this.answer, this.commands.element);
    this.element.addEventListener('input', () => this.#updateCommands());
  }

  show() {}

  async refresh(forwards) {
    keyed(this.forward, forwards, each => each.name, () => el('option'), (option, each) => {
      attr(option, 'value', each.name);
      text(option, each.name);
    });
    this.#updateCommands();
  }

  #headers() {
    return this.headers.value.split('\n').map(line => line.trim()).filter(Boolean);
  }

  #query() {
    const query = new URLSearchParams({forward: this.forward.value, path: this.path.value, method: this.method.value});
    this.#headers().forEach(line => query.append('header', line.replace(/:\s+/, ':')));
    return '/explain?' + query;
  }

  #updateCommands() {
    const headers = this.#headers().flatMap(line => ['--header', line.replace(/:\s*/, '=')]);
    this.commands.set([outrigger('explain', '--forward', this.forward.value, '--path', this.path.value, '--method', this.method.value, ...headers)],
      [curl(this.#query()), this.#query()]);
  }

  async #ask() {
    this.problem.hidden = true;
    try {
      this.answer.replaceChildren(render(await get(this.#query())));
    } catch (error) {
      this.answer.replaceChildren();
      text(this.problem, error instanceof Refused && error.status === 404 && error.message.includes('no such endpoint')
        ? 'This sidecar has no /explain.' : error.message);
      this.problem.hidden = false;
    }
  }
}

function render(value) {
  if (Array.isArray(value)) return el('ol', {}, value.map(each => el('li', {}, render(each))));
  if (value && typeof value === 'object') {
    return el('dl.facts', {}, Object.entries(value).map(([name, each]) => el('div', {}, el('dt', {}, words(name)), el('dd', {}, render(each)))));
  }
  return el('span', {}, value === null ? '–' : String(value));
}
