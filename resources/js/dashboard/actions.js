// What a reader with the second right may do. Each action asks first, and tells how it ended.

import { button, element, say, set, show } from './dom.js';
import { count, many } from './format.js';

const place = (id) => document.getElementById(id);
const LETTERS = {
    retry: { word: 'Retry', done: 'Retried', text: 'The next flush sends them to the sink again. Those that it refuses become dead letters again.' },
    forget: { word: 'Forget', done: 'Forgot', isDangerous: true, text: 'They are deleted, and nothing delivers them. This cannot be undone.' },
    export: { word: 'Export', done: 'Exported', text: 'Your browser saves a file with one JSON document a line, redacted as this page is. They stay dead letters.' },
};

export class Actions {
    #api;
    #refresh;
    #announce;
    #dialog = place('question');
    #title = element('h2', { id: 'question-title' });
    #text = element('p', { id: 'question-text' });
    #field = element('input', { maxlength: '200', autocomplete: 'off' });
    #label = element('label', { hidden: '' }, 'Reason, for the next reader (optional) ', this.#field);
    #progress = element('progress', { hidden: '', 'aria-label': 'Progress' });
    #step = element('p', { class: 'note', hidden: '' });
    #failure = element('p', { class: 'failure', role: 'alert', hidden: '' });
    #confirm = button('', () => this.#run());
    #cancel = button('Cancel', () => this.#close(), { autofocus: '' });
    #work = null;
    #isRunning = false;
    #isStopped = false;

    /** @param {() => void} refresh reads the figures again after an action @param {(text: string) => void} announce */
    constructor(api, refresh, announce) {
        this.#api = api;
        this.#refresh = refresh;
        this.#announce = announce;
        this.#dialog.append(this.#title, this.#text, this.#label, this.#progress, this.#step, this.#failure, element('div', { class: 'actions' }, this.#cancel, this.#confirm));
        this.#dialog.addEventListener('cancel', (event) => {
            event.preventDefault();
            this.#close();
        });
        this.#field.addEventListener('keydown', ({ key }) => key === 'Enter' && this.#run());
    }

    pause({ bucket }) {
        this.#ask({
            title: `Pause bucket ${bucket}?`,
            text: 'It keeps accepting events and delivers none until it is resumed. The events that wait stay in the buffer.',
            word: 'Pause',
            hasReason: true,
            work: (reason) => this.#once('pause', { bucket, ...(reason === '' ? {} : { reason }) }),
        });
    }

    resume({ bucket, pending }) {
        this.#ask({
            title: `Resume bucket ${bucket}?`,
            text: `The next flush delivers again. ${many(pending, 'event')} wait${pending === 1 ? 's' : ''}.`,
            word: 'Resume',
            work: () => this.#once('resume', { bucket }),
        });
    }

    doctor() {
        this.#ask({
            title: 'Run the doctor?',
            text: 'It reads the configuration of the web stack on this machine and changes nothing. It takes some seconds.',
            word: 'Run',
            work: () => this.#once('doctor', {}),
        });
    }

    /**
     * @param {'retry'|'forget'|'export'} action
     * @param {{bucket: string, ids?: string[], kind?: string, all?: true}} chosen
     * @param {string} which in words, as "of the kind ..."
     * @param {boolean} isPartial whether there may be more of them
     */
    letters(action, chosen, number, which, isPartial = false) {
        const { word, text, isDangerous } = LETTERS[action];
        this.#ask({
            title: `${word} ${isPartial ? 'at least ' : ''}${many(number, 'dead letter')} of bucket ${chosen.bucket}?`,
            text: `${which} ${text}`,
            word: isPartial ? `${word} all` : number === 1 ? word : `${word} ${count(number)}`,
            isDangerous,
            work: () => (action === 'export' ? this.#save(chosen, isPartial ? 'all dead letters of the kind' : many(number, 'dead letter')) : this.#each(action, chosen, number)),
        });
    }

    #ask({ title, text, word, work, isDangerous = false, hasReason = false }) {
        this.#work = work;
        say(this.#title, title);
        say(this.#text, text);
        say(this.#confirm, word);
        say(this.#cancel, 'Cancel');
        set(this.#confirm, 'class', isDangerous ? 'danger' : 'main');
        show(this.#label, hasReason);
        this.#field.value = '';
        [this.#progress, this.#step, this.#failure].forEach((node) => show(node, false));
        this.#confirm.disabled = this.#cancel.disabled = false;
        show(place('result'), false);
        this.#dialog.showModal();
    }

    async #run() {
        if (this.#isRunning) {
            return;
        }

        this.#isRunning = true;
        this.#isStopped = false;
        this.#confirm.disabled = true;
        show(this.#failure, false);

        try {
            const message = await this.#work(this.#field.value.trim());
            this.#isRunning = false;
            this.#close();
            this.#tell(message);
        } catch (failure) {
            say(this.#failure, `${failure.title ?? 'The action failed'}. ${failure.detail ?? ''}`.trim());
            show(this.#failure, true);
            say(this.#cancel, 'Close');
            this.#cancel.disabled = false;
        } finally {
            this.#isRunning = this.#confirm.disabled = false;
            this.#refresh();
        }
    }

    async #once(action, body) {
        return (await this.#api.act(action, body)).message;
    }

    /** Goes on until none is left, because one request handles a limited number. */
    async #each(action, chosen, number) {
        const { done: word } = LETTERS[action];
        let done = 0;
        let all = 0;
        let left;
        let after = null;
        say(this.#cancel, 'Stop');

        do {
            const answer = await this.#api.act(action, { ...chosen, ...(after === null ? {} : { after }) });
            done += answer.done;
            left = answer.remaining;

            // Without a place to go on from, the same letters would be asked for again.
            if (left > 0 && (answer.next ?? after) === after && answer.done === 0) {
                throw { title: `${word} ${count(done)} of ${many(done + left, 'dead letter')}`, detail: answer.message };
            }

            after = answer.next ?? null;

            all = Math.max(all, answer.done + left);
            this.#step.hidden = this.#progress.hidden = left === 0 && done === answer.done;
            this.#progress.max = Math.max(1, all);
            this.#progress.value = all - left;
            say(this.#step, `${word} ${count(done)}. ${many(left, 'dead letter')} left to look at.`);
        } while (left > 0 && !this.#isStopped);

        return `${word} ${many(done, 'dead letter')} of bucket ${chosen.bucket}.${left > 0 ? ` You stopped it; ${count(left)} are left.` : ''}`;
    }

    async #save(chosen, what) {
        const address = URL.createObjectURL(await this.#api.export(chosen));
        element('a', { href: address, download: `dead-letters-${chosen.bucket}.ndjson` }).click();
        setTimeout(() => URL.revokeObjectURL(address), 60_000);

        return `Exported ${what} of bucket ${chosen.bucket}.`;
    }

    /** Closing the dialog stops the work after the request that is under way. */
    #close() {
        if (this.#isRunning) {
            this.#isStopped = true;
            this.#cancel.disabled = true;

            return;
        }

        this.#dialog.close();
    }

    #tell(message) {
        const result = place('result');
        result.replaceChildren(element('p', {}, message), button('Dismiss', () => show(result, false), { class: 'small' }));
        show(result, true);
        this.#announce(message);
    }
}
