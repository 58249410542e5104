// A list of any length: only visible rows have elements.

import {attr, el} from './dom.js';

const SPARE_ROWS = 6; // rows beyond the edges, for smooth scrolling

export class List {
  #items = [];
  #rows = [];
  #active = -1;
  #key = null;

  /**
   * @param options.label for screen readers
   * @param options.row makes an empty row; its height is that of `--row` in the style sheet
   * @param options.update shows an item in a row: (row, item)
   * @param options.key of an item; given with `pick`, rows can be chosen with the pointer or the keys
   * @param options.pick (item) was chosen
   */
  constructor(options) {
    this.options = options;
    this.space = el('div.list-space', {role: 'presentation'});
    this.element = el('div.list', {
      tabindex: '0', role: options.pick ? 'listbox' : 'list', 'aria-label': options.label,
      onscroll: () => this.#draw(), onkeydown: event => this.#onKey(event),
    }, this.space);
    this.id = 'list-' + ++List.made;
    new ResizeObserver(() => this.#draw()).observe(this.element);
  }

  static made = 0;

  set(items) {
    this.#items = items;
    if (this.#key !== null) this.#active = items.findIndex(item => this.options.key(item) === this.#key);
    this.#draw();
  }

  /** Marks an item as chosen without calling `pick`. */
  choose(key) {
    this.#key = key;
    this.#active = this.#items.findIndex(item => this.options.key(item) === key);
    this.#draw();
  }

  #height() {
    return parseFloat(getComputedStyle(this.element).getPropertyValue('--row')) || 28;
  }

  #draw() {
    const height = this.#height();
    const total = this.#items.length * height + 'px';
    if (this.space.style.height !== total) {
      this.space.style.height = total;
      this.element.style.height = `calc(${total} + 2px)`; // the style sheet limits the height
    }
    const {scrollTop, clientHeight} = this.element;
    const first = Math.max(0, Math.floor(scrollTop / height) - SPARE_ROWS);
    const last = Math.min(this.#items.length, Math.ceil((scrollTop + clientHeight) / height) + SPARE_ROWS);
    while (this.#rows.length < last - first) this.#rows.push(this.#newRow());
    this.#rows.forEach((row, i) => {
      const index = first + i;
      row.hidden = index >= last;
      if (row.hidden) return;
      row.dataset.index = index;
      const top = `translateY(${index * height}px)`;
      if (row.style.transform !== top) row.style.transform = top;
      attr(row, 'aria-posinset', index + 1);
      attr(row, 'aria-setsize', this.#items.length);
      if (this.options.pick) attr(row, 'aria-selected', index === this.#active);
      this.options.update(row, this.#items[index]);
    });
    const row = this.#rows.find(each => !each.hidden && Number(each.dataset.index) === this.#active);
    attr(this.element, 'aria-activedescendant', row?.id);
  }

  #newRow() {
    const row = this.options.row();
    row.classList.add('row');
    row.setAttribute('role', this.options.pick ? 'option' : 'listitem');
    row.id = `${this.id}-${this.#rows.length}`;
    if (this.options.pick) row.addEventListener('click', () => this.#choose(Number(row.dataset.index)));
    this.space.append(row);
    return row;
  }

  #choose(index) {
    const item = this.#items[index];
    if (item === undefined) return;
    this.#active = index;
    this.#key = this.options.key(item);
    const height = this.#height();
    const {scrollTop, clientHeight} = this.element;
    if (index * height < scrollTop) this.element.scrollTop = index * height;
    if ((index + 1) * height > scrollTop + clientHeight) this.element.scrollTop = (index + 1) * height - clientHeight;
    this.#draw();
    this.options.pick(item);
  }

  #onKey(event) {
    if (!this.options.pick) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.#height()) - 1);
    const end = this.#items.length - 1;
    const to = {
      ArrowDown: this.#active + 1, ArrowUp: this.#active - 1, PageDown: this.#active + page,
      PageUp: this.#active - page, Home: 0, End: end,
    }[event.key];
    if (to === undefined || end < 0) return;
    event.preventDefault();
    this.#choose(Math.min(end, Math.max(0, to)));
  }
}
