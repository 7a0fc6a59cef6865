// Shows the entries in which all words begin words: those with a word in their name first, then in their first sentence.
(() => {
  "use strict";
  const form = document.querySelector("form.search");
  const input = form.querySelector("input");
  const list = form.querySelector("ul");
  const words = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const counts = [12, 0, 4, 1];
  const known = ENTRIES.map((entry) => entry.map(words));

  // A word without the ending of its plural.
  const stem = (word) => (/[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word);

  const score = (fields, wanted) => {
    let sum = 0;
    for (const word of wanted) {
      let found = 0;
      fields.forEach((field, at) => {
        const hits = field.filter((other) => other.startsWith(word));
        if (hits.length > 0) found += counts[at] * (hits.includes(word) ? 2 : 1);
      });
      if (found === 0) return 0;
      sum += found;
    }
    return sum;
  };

  const show = () => {
    const wanted = words(input.value).map(stem);
    const hits = wanted.length === 0 ? [] : known
      .map((fields, at) => [score(fields, wanted), ENTRIES[at]])
      .filter(([points]) => points > 0)
      .sort(([one], [other]) => other - one)
      .slice(0, 12);
    list.replaceChildren(...hits.map(([, [name, address, about]]) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = address;
      link.textContent = name;
      item.append(link, " " + about);
      return item;
    }));
    if (wanted.length > 0 && hits.length === 0) list.append("nothing has these words");
  };

  form.hidden = false;
  input.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const first = list.querySelector("a");
    if (first) location.href = first.href;
  });
})();
