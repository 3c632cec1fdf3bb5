// The settings of what plays: a control for each row of the library's table of options.
import { brief, channelName, check, choice, labelled, make, stepOf, watch } from './controls.js';

/** Options whose default stands for the networks' own number, and the least other value. */
const OWN = { steps: 1, noise: 0, noise_memory: 0, guidance: 0 };
const ORDER = ['choice', 'switch', 'integer', 'number']; // of those in sight

/** The label of an option, or its key, without the unit at its end: surround_s is 'surround (s)'. */
function nameOf({ key, label, unit }) {
    const words = label || (unit ? key.replace(/_(s|m|rad|mps2?)$/, '') : key).replaceAll('_', ' ');
    return unit ? `${words} (${unit.replace('^2', '²')})` : words;
}

export class Settings {
    /** @param change called with the key and the new value of an option */
    constructor(change) {
        this.change = change;
        this.main = make('div', { id: 'settings' });
        this.rest = make('div');
        this.more = make('details', { id: 'more' }, make('summary', { textContent: 'more settings' }), this.rest);
        this.rows = [];
    }

    /** Shows the options of what plays, with its values. */
    show({ method, options = [] }) {
        const kind = JSON.stringify([method, options.map(({ key, value }) => [key, key === 'weights' ? Object.keys(value) : 0])]);
        if (kind !== this.kind) {
            this.kind = kind;
            this.rows = options.map((option) => this.row(option));
            const inSight = this.rows.filter(({ option }) => option.label)
                .sort((a, b) => ORDER.indexOf(a.option.type) - ORDER.indexOf(b.option.type));
            this.main.replaceChildren(...inSight.map(({ element }) => element));
            this.rest.replaceChildren(...this.rows.filter(({ option }) => !option.label).map(({ element }) => element));
        }
        this.values = Object.fromEntries(options.map(({ key, value }) => [key, value]));
        this.rows.forEach(({ option, show }) => show(this.values[option.key]));
    }

    row(option) {
        const maker = { number: 'number', integer: 'number', switch: 'tick', choice: 'pick', tags: 'text', weights: 'weights' }[option.type];
        const { element, show } = this[maker](option, (value) => this.change(option.key, value));
        const usual = option.default === undefined ? '' : ` Default: ${typeof option.default === 'number' ? brief(option.default) : option.default}; double-click the name to set it.`;
        element.title = `${option.key}: ${option.help}.${usual}`;
        if (option.default !== undefined) {
            element.firstChild.addEventListener('dblclick', () => this.change(option.key, option.default));
        }
        return { option, element, show };
    }

    pick(option, changed) {
        const select = choice(option.key, option.choices.map((name) => [name, name]), () => changed(select.value));
        return { element: labelled(nameOf(option), select), show: (value) => {
            select.value = value;
        } };
    }

    tick(option, changed) {
        const box = check(option.key, () => changed(box.checked));
        return { element: labelled(nameOf(option), box), show: (value) => {
            box.checked = value;
        } };
    }

    text(option, changed) {
        const input = watch(make('input', { type: 'text', id: option.key, placeholder: "the data's own", spellcheck: false }), () => changed(input.value));
        return { element: labelled(nameOf(option), input), show: (value) => {
            input.value = value;
        } };
    }

    /** A slider over the usual values, and a field that takes all of them. */
    number(option, changed) {
        const { key, low, usual, high, type } = option;
        const least = OWN[key] ?? low;
        const step = type === 'integer' ? 1 : stepOf(usual - least);
        const inside = (value) => Math.min(Math.max(value, least), high);
        const slider = watch(make('input', { type: 'range', id: key, min: Math.floor(least / step) * step, max: usual, step }),
            () => changed(inside(Number(slider.value))));
        const field = watch(make('input', { type: 'number', id: `${key}-value`, min: low, max: high, step: type === 'integer' ? 1 : 'any', ariaLabel: nameOf(option) }),
            () => changed(field.value !== '' ? Number(field.value) : key in OWN ? option.default : null));
        field.placeholder = key in OWN ? 'own' : '';
        slider.addEventListener('input', () => {
            field.value = brief(inside(Number(slider.value)));
        });
        return { element: labelled(nameOf(option), slider, field), show: (value) => {
            slider.value = value;
            field.value = key in OWN && value < least ? '' : brief(value);
        } };
    }

    /** A factor for each feature channel. */
    weights(option, changed) {
        const channels = Object.keys(option.value);
        const rows = channels.map((channel) => this.number({ ...option, key: `weights-${channel}`, label: `× ${channelName(channel)}` }, (value) => changed({ [channel]: value })));
        return { element: make('div', { id: option.key }, ...rows.map(({ element }) => element)), show: (value) => {
            channels.forEach((channel, i) => rows[i].show(value[channel]));
        } };
    }
}
