const parse = (colour) => colour.match(/[\d.]+/g).map(Number);
const luminance = ([r, g, b]) => {
  const [x, y, z] = [r, g, b].map((v) => ((v /= 255), v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const over = (top, below) => {
  const a = top.length > 3 ? top[3] : 1;
  return [0, 1, 2].map((k) => top[k] * a + below[k] * (1 - a));
};
const behind = (element) => {
  const layers = [];
  for (let at = element; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
  return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
};
const low = new Map();
for (const element of document.querySelectorAll("body *")) {
  if (!element.checkVisibility() || element.closest(":disabled, script")) continue;
  if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
  const style = getComputedStyle(element);
  const below = behind(element);
  const colour = over(parse(element.closest("svg") ? style.fill : style.color), below);
  const [a, b] = [luminance(colour), luminance(below)].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  if (ratio < 4.5) low.set(`${element.tagName}.${element.className}`, ratio.toFixed(2));
}
return [...low].map(([name, ratio]) => `${name} ${ratio}`);
