// Local policy: its rules with the values that they have set and the resources to which they are not applied, and errors in its files.

import {Commands, curl, outrigger} from './command.js';
import {get} from './data.js';
import {attr, count, el, glyph, keyed, setState, several, state, text} from './dom.js';

const PERIOD_MILLIS = 5_000; // between two requests while another view is visible
const MAX_NAMES = 5;
const MAX_LINES = 100;

export class Overlay {
  #readAt = 0;
  #answer = {rules: [], errors: []};

  constructor(page) {
    this.page = page;
    this.link = document.querySelector('nav a[href="#overlay"]');
    this.sign = glyph('bad');
    this.link.append(this.sign);
    this.errors = el('ul.card.overlay-errors', {role: 'alert', hidden: ''});
    this.list = el('div');
    this.none = el('p.card.empty', {hidden: ''});
    this.commands = new Commands();
    this.commands.set([outrigger('status')], [curl('/overlay'), '/overlay']);
    this.element = el('div', {}, this.errors, this.list, this.none, this.commands.element);
  }

  show() {}

  /** Shows the tab of this view if local policy is in use. */
  async follow() {
    if (Date.now() - this.#readAt < PERIOD_MILLIS) return;
    this.#readAt = Date.now();
    this.#answer = await get('/overlay');
    const {rules, errors} = this.#answer;
    this.link.hidden = !rules.length && !errors.length;
    attr(this.sign, 'hidden', errors.length ? null : '');
    this.page.policyProblems = [
      ...errors.map(error => ({of: 'bad', href: '#overlay', text: `local policy ${at(error)}: ${error.message}`})),
      ...rules.filter(rule => rule.left_out.length)
        .map(rule => ({of: standing(rule).of, href: '#overlay', text: `local policy, rule ${rule.name}: ${standing(rule).said}`})),
    ];
    attr(this.link, 'aria-label', errors.length ? `Overlay, ${several(errors.length, 'error')}` : null);
  }

  async refresh() {
    this.#readAt = 0;
    await this.follow();
    const {rules, errors} = this.#answer;
    this.errors.hidden = !errors.length;
    keyed(this.errors, errors, at, () => el('li', {}, el('code'), el('p')), (line, error) => {
      text(line.firstChild, at(error));
      text(line.lastChild, error.message);
    });
    this.none.hidden = rules.length > 0;
    text(this.none, errors.length ? 'No rule is in force.' : 'No overlay is in use: --overlay names its files.');
    keyed(this.list, rules, rule => `${rule.file}:${rule.line} ${rule.name}`, ruleCard, updateRule);
  }
}

function at({file, line, column}) {
  return [file, line, column].filter(part => part).join(':') // line 0: the whole file;
}

function ruleCard() {
  return el('section.card.rule', {}, el('div.bar', {}, el('h3'), state('IDLE'), el('span.quiet'), el('code.quiet')),
    el('ul.values'), el('p.quiet.more'), el('ul.omissions'), el('p.quiet.more'));
}

function updateRule(card, rule) {
  const [head, values, more, omissions, moreOmissions] = card.children;
  const [name, mark, mode, place] = head.children;
  attr(card, 'aria-label', rule.name);
  text(name, rule.name);
  const {of, said} = standing(rule);
  setState(mark, '', said, of);
  text(mode, rule.mode);
  text(place, at(rule));
  const fields = byValue(rule.set);
  keyed(values, fields.slice(0, MAX_LINES), each => `${each.field} ${each.value}`,
    () => el('li', {}, el('code'), el('code'), el('span.quiet')), (line, each) => {
      const [field, value, resources] = line.children;
      text(field, each.field);
      text(value, each.value);
      text(resources, names(each.resources));
      attr(resources, 'title', each.resources.join('\n'));
    });
  text(more, hiddenText(fields.length - MAX_LINES, 'value', rule.more_set));
  keyed(omissions, rule.left_out.slice(0, MAX_LINES), each => `${each.resource} ${each.field}`,
    () => el('li', {}, el('span', {}, glyph('wait'), ' left out of ', el('code')), el('span')), (line, {resource, field, reason}) => {
      text(line.firstChild.lastChild, resource);
      text(line.lastChild, field ? `${field}: ${reason}` : reason);
    });
  text(moreOmissions, hiddenText(rule.left_out.length - MAX_LINES, 'resource', rule.more_left_out));
}

/** Returns the most severe state of a rule. */
function standing({matched: {clusters, routes}, set, left_out: leftOut}) {
  if (!clusters && !routes) return {of: 'wait', said: 'matches nothing'};
  const matches = 'matches ' + [clusters && several(clusters, 'cluster'), routes && several(routes, 'route')].filter(Boolean).join(' and ');
  if (leftOut.length) return {of: 'wait', said: `${matches}, left out of ${count(new Set(leftOut.map(each => each.resource)).size)}`};
  return set.length ? {of: 'good', said: matches} : {of: 'idle', said: `${matches}, sets nothing: each field has a value already`};
}

/** The same value of a field on many resources is one line. */
function byValue(set) {
  const lines = new Map();
  for (const {resource, field, value} of set) {
    const shown = json(value);
    const key = `${field} ${shown}`;
    if (!lines.has(key)) lines.set(key, {field, value: shown, resources: []});
    lines.get(key).resources.push(resource);
  }
  return [...lines.values()];
}

function names(resources) {
  const others = resources.length - MAX_NAMES;
  return resources.slice(0, MAX_NAMES).join(', ') + (others > 0 ? ` and ${count(others)} more` : '');
}

/** Returns the number of values that are not shown, including those that the answer omits. */
function hiddenText(hidden, noun, unlisted) {
  const parts = [];
  if (hidden > 0) parts.push(`${several(hidden, `further ${noun}`)} at /overlay`);
  if (unlisted > 0) parts.push(`${count(unlisted)} not listed there`);
  return parts.join(', ');
}

function json(value) {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the values of `[{rule, file, line, field, value}]`, each with its rule. */
export function patched(values) {
  return el('ul.patched', {}, values.map(each => el('li', {}, el('code', {}, `${each.field} ${json(each.value)}`),
    el('span.quiet', {}, `from rule ${each.rule}, ${at(each)}`))));
}
