// Asks again and again: never two questions at once, slower while the server fails, and not while the page is hidden.

const SLOWEST_SECONDS = 10;

export class Poll {
    #ask;
    #seconds;
    #delay;
    #timer = 0;
    #isActive = false;
    #isAsking = false;
    #isWanted = false;

    /** @param {() => Promise<boolean>} ask whether the server answered */
    constructor(ask, seconds) {
        this.#ask = ask;
        this.#seconds = this.#delay = seconds;
        document.addEventListener('visibilitychange', () => (document.hidden ? clearTimeout(this.#timer) : this.#isActive && this.now()));
    }

    /** Seconds until the next question after an answer, which grow while the server fails. */
    get seconds() {
        return this.#delay;
    }

    start() {
        this.#isActive = true;
        this.now();
    }

    stop() {
        this.#isActive = this.#isWanted = false;
        clearTimeout(this.#timer);
    }

    /** Asks at once, or when the answer that is under way has come. */
    async now() {
        clearTimeout(this.#timer);

        if (this.#isAsking) {
            this.#isWanted = true;

            return;
        }

        this.#isAsking = true;
        this.#isWanted = false;
        let isAnswered = false;

        try {
            isAnswered = await this.#ask();
        } finally {
            this.#isAsking = false;
            this.#delay = isAnswered ? this.#seconds : Math.max(this.#seconds, Math.min(SLOWEST_SECONDS, this.#delay * 2));
            this.#schedule();
        }
    }

    #schedule() {
        if (this.#isActive && !document.hidden) {
            this.#timer = setTimeout(() => this.now(), this.#isWanted ? 0 : this.#delay * 1000);
        }
    }
}
