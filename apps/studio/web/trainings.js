// Networks in training: the newest preview of each is offered like networks that ship, and the character that plays one
// takes over every newer one while it moves.
const EVERY_MS = 3000;

export class Trainings {
    constructor(studio) {
        this.studio = studio;
        this.rows = []; // as the server lists them, and those that have ended since, with their last networks
        this.used = {}; // by method: { name, hash } of the networks that the engine has; hash of a preview only
        this.busy = false;
    }

    /** Asks the server again and again, while the page is seen. */
    watch() {
        setInterval(() => document.hidden || this.refresh().catch(() => {}), EVERY_MS); // a server that has stopped may come back
    }

    /** Asks once; whether the list has changed. */
    async list() {
        const response = await fetch('api/trainings');
        const live = (await response.json()).trainings;
        const ended = this.rows.filter(({ name }) => !live.some((row) => row.name === name));
        const before = this.titles;
        this.rows = [...live.map((row) => ({ ...row, title: `${row.title} (in training)`, networks: true, ready: true, direction: null, models: {} })),
            ...ended.map((row) => ({ ...row, title: row.title.replace(' (in training)', ''), url: row.final, hash: null }))];
        return this.titles !== before;
    }

    get titles() {
        return this.rows.map(({ title }) => title).join();
    }

    /** The training whose networks play, or null. */
    get row() {
        return this.rows.find(({ name }) => name === this.used[this.studio.method]?.name) ?? null;
    }

    /** One look: the list, and the newest networks of the training that plays. */
    async refresh() {
        if (this.busy) {
            return;
        }
        this.busy = true;
        try {
            if (await this.list()) {
                this.studio.listed();
            }
            const { method } = this.studio;
            if (this.row && this.row.hash !== this.used[method].hash) {
                await this.studio.exchange(method, this.row);
            }
        } finally {
            this.busy = false;
        }
    }

    /** Notes what a method plays now. */
    took(method, { name, hash }) {
        this.used[method] = { name, hash };
    }

    /** How the training of what plays is going, for people; null when it is no training. */
    get words() {
        const { row } = this;
        if (!row?.hash) {
            return row ? 'The training has ended.' : null;
        }
        const seconds = Math.max(0, Math.round((Date.now() - row.changed_ms) / 1000));
        const age = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
        if (row.iteration === 0) {
            return `In training: just begun, ${age} ago`; // the first point of the loss curve comes later
        }
        return `In training: ${row.iteration.toLocaleString('en')} of ${row.iterations.toLocaleString('en')} iterations, loss ${row.loss.toPrecision(3)}, ${age} ago`;
    }
}
