// Messages to the user: toasts, which disappear after some seconds, and a banner, which stays until its reason is
// removed.

const TOAST_TIME = 6000; // ms
const TOASTS_MAX = 4;

export class Messages {
  /** `toasts` is the element that contains the toasts, `banner` the element that is the banner. */
  constructor(toasts, banner) {
    Object.assign(this, { toasts, banner });
    this.reasons = new Map(); // text and CSS class for each reason, in the order in which they were set
  }

  /** Shows a toast; it replaces one with the same text. */
  showToast(text) {
    const same = [...this.toasts.children].find((other) => other.textContent === text);
    same?.remove();
    const toast = document.createElement('div');
    toast.className = 'toast';
    toast.textContent = text;
    toast.onclick = () => toast.remove();
    this.toasts.append(toast);
    while (this.toasts.children.length > TOASTS_MAX) this.toasts.firstChild.remove();
    setTimeout(() => toast.remove(), TOAST_TIME);
  }

  /**
   * Sets the text and the CSS class (`kind`) of the banner for `reason`, or removes them if `text` is empty. If several
   * reasons have a text, the banner shows the text that was set last.
   */
  setBanner(reason, text, kind = '') {
    this.reasons.delete(reason);
    if (text) this.reasons.set(reason, { text, kind });
    const shown = [...this.reasons.values()].at(-1);
    this.banner.hidden = !shown;
    this.banner.textContent = shown?.text ?? '';
    this.banner.className = shown?.kind ?? '';
  }
}
