// The user study of Learned Motion Matching (section 6.4): can people tell networks from the database? First the
// reference (matching), then A and B, blind, with a key that toggles, and three questions; then ten systems to be
// told from the reference. The answers are scored at the end and saved as a file. run.mjs adds it to the studio's page.
const MATCHING = 'match';
const LEARNED = 'learned';
const NAMES = { [MATCHING]: 'MM', [LEARNED]: 'LMM' };
const TRIALS = 10;
const SCALE = ['surely A', 'rather A', 'no difference', 'rather B', 'surely B'];
const QUESTIONS = [
    ['reference', 'Which system do you think is the reference system?'],
    ['quality', 'Which system has better animation quality?'],
    ['responsiveness', 'Which system has better responsiveness?'],
];

// Nothing on the page may tell which method plays.
const STYLE = `
body.study #panel, body.study #score { display: none; }
#study { position: fixed; top: 4rem; right: 1rem; max-height: calc(100vh - 6rem); overflow: auto; width: min(24rem, calc(100vw - 2rem)); padding: 1rem 1.2rem; border-radius: 12px; background: rgb(255 255 255 / 88%); box-shadow: 0 4px 24px rgb(20 40 60 / 18%); }
#study h2 { margin: 0 0 .5rem; font-size: 1rem; }
#study fieldset { border: 0; margin: 0 0 .8rem; padding: 0; }
#study label { display: block; }
#study button { margin-right: .5rem; }
`;

/** Numbers 0 to below 1 from a seed: a study can be repeated. */
function stream(seed) {
    let state = seed >>> 0;
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 2 ** 32;
    };
}

function make(tag, attributes = {}, ...children) {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...children);
    return element;
}

class Study {
    /** @param seed decides which system is A and the order of the trials; by default another one each time */
    constructor(studio, seed = crypto.getRandomValues(new Uint32Array(1))[0]) {
        const draw = stream(seed);
        this.studio = studio;
        this.box = make('section', { id: 'study', ariaLabel: 'Study' });
        document.head.append(make('style', { textContent: STYLE }));
        document.body.append(this.box);
        document.body.classList.add('study'); // the panel would reveal which is which
        const matchingIsA = draw() < 0.5;
        this.systems = { A: matchingIsA ? MATCHING : LEARNED, B: matchingIsA ? LEARNED : MATCHING };
        this.trials = Array.from({ length: TRIALS }, () => (draw() < 0.5 ? MATCHING : LEARNED));
        this.answers = { seed, data: studio.current, begun: new Date().toISOString(), systems: { A: NAMES[this.systems.A], B: NAMES[this.systems.B] },
            toggles: 0, seconds: {}, likert: {}, trials: [] };
        this.shown = null;
        window.addEventListener('keydown', (event) => this.key(event));
        this.ready = this.begin();
    }

    /** Another page of the study: what is read, and what can be pressed. */
    page(name, ...children) {
        const now = performance.now();
        if (this.step) {
            this.answers.seconds[this.step] = (this.answers.seconds[this.step] ?? 0) + (now - this.since) / 1000;
        }
        [this.step, this.since] = [name, now];
        this.box.replaceChildren(...children);
    }

    button(label, id, action) {
        const button = make('button', { type: 'button', id, textContent: label });
        button.addEventListener('click', () => {
            button.blur();
            this.ready = Promise.resolve(action());
        });
        return button;
    }

    async begin() {
        await this.studio.setMethod(LEARNED); // loads the networks now, not when they would be noticed
        if (this.studio.method !== LEARNED) {
            this.page('none', make('p', { textContent: 'A study needs a data set with both frames and networks: choose one in the studio first.' }));
            return;
        }
        await this.reference('reference', 'This is the reference system. Steer it for up to five minutes, until you know it well.', () => this.compare());
    }

    async reference(name, words, next) {
        await this.studio.setMethod(MATCHING);
        this.shown = null;
        this.page(name, make('h2', { textContent: 'The reference' }), make('p', { textContent: words }), this.button('I know it', 'study-next', next));
    }

    async show(letter) {
        this.shown = letter;
        await this.studio.setMethod(this.systems[letter]);
        this.letter.textContent = letter;
    }

    async compare() {
        this.letter = make('b', { id: 'study-letter', textContent: 'A' });
        this.page('compare', make('h2', {}, 'System ', this.letter),
            make('p', { textContent: 'Two systems, A and B. Press T to switch between them at any time. Steer both for up to ten minutes, then answer.' }),
            this.button('Answer', 'study-next', () => this.ask()));
        await this.show('A');
    }

    key(event) {
        if (event.code === 'KeyT' && this.step === 'compare' && !event.repeat) {
            this.answers.toggles++;
            this.ready = this.show(this.shown === 'A' ? 'B' : 'A');
        }
    }

    ask() {
        const forms = QUESTIONS.map(([key, words]) => make('fieldset', { id: `study-${key}` }, make('legend', { textContent: words }),
            ...SCALE.map((label, i) => make('label', {}, make('input', { type: 'radio', name: key, value: i }), label))));
        const done = this.button('On to the second part', 'study-next', () => {
            const marks = forms.map((form) => form.querySelector('input:checked')?.value);
            if (marks.some((mark) => mark === undefined)) {
                return null;
            }
            QUESTIONS.forEach(([key], i) => {
                this.answers.likert[key] = Number(marks[i]) - 2;
            });
            return this.reference('again', 'Here is the reference once more, for a few minutes. Ten systems follow; decide for each whether it is the reference.', () => this.trial());
        });
        this.page('questions', make('h2', { textContent: 'Three questions' }), ...forms, done);
    }

    async trial() {
        const number = this.answers.trials.length;
        if (number === TRIALS) {
            this.end();
            return;
        }
        await this.studio.setMethod(this.trials[number]);
        const answer = (said) => () => {
            this.answers.trials.push({ system: NAMES[this.trials[number]], said, right: said === (this.trials[number] === MATCHING) });
            return this.trial();
        };
        this.page('trials', make('h2', { textContent: `System ${number + 1} of ${TRIALS}` }), make('p', { textContent: 'Is this the reference?' }),
            this.button('It is', 'study-yes', answer(true)), this.button('It is not', 'study-no', answer(false)));
    }

    /** -2 surely wrong to 2 surely right; for the preferences, -2 surely MM to 2 surely LMM. */
    get scores() {
        const towardsB = this.answers.likert;
        const sign = this.systems.B === LEARNED ? 1 : -1;
        return { reference: -sign * towardsB.reference, quality: sign * towardsB.quality, responsiveness: sign * towardsB.responsiveness,
            right: this.answers.trials.filter((item) => item.right).length, trials: TRIALS };
    }

    end() {
        const { scores } = this;
        this.page('end');
        this.answers.scores = scores;
        const text = JSON.stringify(this.answers, null, 2);
        const link = make('a', { id: 'study-file', download: 'amble-study.json', textContent: 'Save the answers', href: URL.createObjectURL(new Blob([text], { type: 'application/json' })) });
        const told = scores.reference > 0 ? 'You told the reference from the other one.' : scores.reference < 0 ? 'You took the networks for the reference.' : 'You saw no difference.';
        this.box.replaceChildren(make('h2', { textContent: 'Thank you' }), make('p', { textContent: `${told} You named ${scores.right} of ten systems correctly; guessing gives five on average.` }), link);
        document.body.classList.remove('study');
    }
}

window.amble.Study = Study;
