// What the test asks of a page, by name. Most answers are lists of what is wrong.
function (what) {
  const about = e => `${e.tagName.toLowerCase()}${e.id ? '#' + e.id : ''} "${e.textContent.trim().replace(/\s+/g, ' ').slice(0, 60)}"`;
  const all = selector => [...document.querySelectorAll(selector)];
  const rgba = text => { const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number); return [r, g, b, a]; };
  const luminance = ([r, g, b]) => [r, g, b].map(c => c / 255)
    .map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  // The ground of an element: the nearest that is painted, in a drawing the rectangle beside the text.
  const ground = e => {
    for (let at = e; at; at = at.parentElement) {
      const rect = at instanceof SVGElement && at.querySelector(':scope > rect');
      const colour = rgba(rect ? getComputedStyle(rect).fill : getComputedStyle(at).backgroundColor);
      if (colour[3] === 1) return colour;
      if (colour[3] > 0) throw `a ground that shines through: ${about(at)}`;
    }
    throw 'the page has no ground';
  };
  const scrolls = e => e && (/auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
  const targets = () => all('a[href], summary, button, input, select, textarea, [tabindex]').filter(e => e.checkVisibility());
  const name = e => e ? `${targets().indexOf(e)} ${about(e)}` : 'nothing';

  return {
    unfold: () => { all('details').forEach(d => { d.open = true; }); return []; },
    width: () => {
      const width = document.documentElement.clientWidth;
      const faults = document.documentElement.scrollWidth > width ? [`the page scrolls to the side: ${document.documentElement.scrollWidth} in ${width}`] : [];
      for (const e of all('body *')) {
        const box = e.getBoundingClientRect();
        if (e.checkVisibility() && box.right > width + 1 && !scrolls(e)) faults.push(`${about(e)} ends at ${box.right} of ${width}`);
      }
      return faults.slice(0, 10);
    },
    contrast: () => {
      const faults = new Set();
      let read = 0;
      const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walk.nextNode()) {
        const e = walk.currentNode.parentElement;
        if (!walk.currentNode.data.trim() || e.closest('title') || !e.checkVisibility()) continue;
        const style = getComputedStyle(e);
        const colour = rgba(e instanceof SVGElement ? style.fill : style.color);
        const ratio = contrast(colour, ground(e));
        read++;
        if (colour[3] < 1 || ratio < 4.5) faults.add(`${about(e)} has a contrast of ${ratio.toFixed(2)}`);
        if (parseFloat(style.fontSize) < 11) faults.add(`${about(e)} is written in ${style.fontSize}`);
      }
      if (read < 50) faults.add(`${read} texts are there`);
      return [...faults].slice(0, 10);
    },
    targets: () => targets().map(name),
    focus: () => {
      const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
      const faults = [];
      if (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 2) faults.push('has no outline');
      else if (contrast(rgba(style.outlineColor), ground(e.parentElement)) < 3) faults.push('has an outline that hardly shows');
      if (box.bottom <= 0 || box.top >= innerHeight || box.right <= 0 || box.left >= innerWidth) faults.push('is out of sight');
      return {name: name(e), details: e.tagName !== 'SUMMARY' ? '' : e.parentElement.open ? 'open' : 'closed', fault: faults.join(', ')};
    },
  }[what]();
}
