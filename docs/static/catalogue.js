// Filters the catalogue of environments by the fields of their cards.
document.addEventListener("DOMContentLoaded", () => {
  const catalogue = document.getElementById("catalogue");
  if (!catalogue) return;
  const entries = [...catalogue.querySelectorAll("article")].map((element) => ({
    element,
    fields: JSON.parse(element.dataset.fields),
  }));
  const bar = document.createElement("form");
  const count = document.createElement("p");
  count.setAttribute("aria-live", "polite");

  const show = () => {
    const chosen = [...bar.querySelectorAll("select")].filter((select) => select.value);
    let shown = 0;
    for (const { element, fields } of entries) {
      element.hidden = !chosen.every((select) => fields[select.name].includes(select.value));
      shown += !element.hidden;
    }
    count.textContent = `${shown} of ${entries.length} environments`;
  };

  for (const field of Object.keys(entries[0].fields)) {
    const label = document.createElement("label");
    const select = document.createElement("select");
    const values = new Set(entries.flatMap(({ fields }) => fields[field]));
    select.name = field;
    select.add(new Option("any", ""));
    for (const value of [...values].sort()) select.add(new Option(value));
    label.append(field.replace("_", " "), select);
    bar.append(label);
  }
  bar.addEventListener("change", show);
  catalogue.prepend(bar, count);
  show();
});
