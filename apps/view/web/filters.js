// The table of collision filters: the categories of each model, and those with which it collides.

import { element } from './element.js';

/** The number of categories that have buttons, unless a model is in a higher one. */
const SHOWN = 4;

export class Filters {
  /**
   * @param {HTMLElement} box the element with the table; hidden if no model has a filter
   * @param {(filters: object) => void} set sends new filters, by the name of the model, to the host
   */
  constructor(box, set) {
    this.box = box;
    this.body = box.querySelector('tbody');
    this.set = set;
    this.key = '';
  }

  /** Shows filters: an array of the names, categories and masks of models. */
  show(filters) {
    this.box.hidden = filters.length === 0;
    const count = Math.max(SHOWN, ...filters.map(({ categories }) => 32 - Math.clz32(categories)));
    const key = JSON.stringify([count, filters.map(({ model }) => model)]);
    if (key !== this.key) {
      this.key = key;
      this.body.replaceChildren(...filters.map(({ model }, row) => element(
        'tr', {},
        element('th', { textContent: model, title: model }),
        this.buttons(row, 'categories', (category) => `${model} is in category ${category}`, count),
        this.buttons(row, 'mask', (category) => `${model} collides with category ${category}`, count),
      )));
    }
    this.filters = filters;
    for (const button of this.body.querySelectorAll('button')) {
      const { row, column, bit } = button.dataset;
      button.setAttribute('aria-pressed', String((filters[row][column] >>> bit & 1) === 1));
    }
  }

  /** A cell with a button for each of the first `count` categories. */
  buttons(row, column, describe, count) {
    const buttons = Array.from({ length: count }, (_, bit) => {
      const about = describe(bit + 1);
      const button = element('button', {
        type: 'button', textContent: `${bit + 1}`, title: about, 'aria-label': about,
        onclick: () => this.toggle(row, column, bit),
      });
      Object.assign(button.dataset, { row, column, bit });
      return button;
    });
    return element('td', {}, element('div', { className: 'choice' }, ...buttons));
  }

  toggle(row, column, bit) {
    const { model, ...filter } = this.filters[row];
    filter[column] = (filter[column] ^ 1 << bit) >>> 0;
    this.set({ [model]: filter });
  }
}
