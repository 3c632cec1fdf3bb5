// The parts of the panel: elements with a label that tell when they were changed.

/** A new element with attributes and children. */
export function make(tag, attributes = {}, ...children) {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...children);
    return element;
}

/** A label around its name and what is set there. */
export const labelled = (name, ...children) => make('label', {}, make('span', { textContent: name }), ...children);

/** Calls `changed` when a control was changed; the keys are the character's again. */
export function watch(control, changed) {
    control.addEventListener('change', () => {
        changed();
        control.blur();
    });
    return control;
}

/** @param items [[value, name]] */
export const choice = (id, items, changed) => watch(
    make('select', { id }, ...items.map(([value, name]) => make('option', { value, textContent: name }))), changed);

export const check = (id, changed) => watch(make('input', { type: 'checkbox', id }), changed);

/** A step of 1, 2 or 5 times a power of ten for a span. */
export function stepOf(span) {
    const power = 10 ** Math.floor(Math.log10(span / 50));
    return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= span / 100);
}

/** A number as text, without digits that nobody reads. */
export const brief = (number) => String(Number(number.toPrecision(3)));

/** A feature channel in a few letters. */
export const channelName = (channel) => channel.replaceAll('_', ' ').replace('trajectory', 'path').replace('left', 'L').replace('right', 'R');
