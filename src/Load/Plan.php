<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * How much load, how many at a time, and when a request has taken too long. All but rate() are of the closed model:
 * each user has one request in flight and starts the next as soon as the last has ended, or so long after.
 */
final readonly class Plan
{
    public const DEFAULT_CONCURRENCY = 10;

    public const DEFAULT_TIMEOUT = 8.0;

    /** Requests at a fixed rate that may be in flight at once. */
    public const DEFAULT_IN_FLIGHT = 500;

    private const MAX_REQUESTS = 1_000_000_000_000;

    private const MAX_SECONDS = 604_800.0;

    private const MAX_CONCURRENCY = 10_000;

    private const MAX_TIMEOUT = 3_600.0;

    private const MAX_PAUSE = 3_600.0;

    private const MAX_KEPT_BYTES = 1_048_576;

    /** @var ?array<int, int> by status; null when all that are no errors are */
    private ?array $accepted;

    public Statuses $errorStatus;

    /**
     * @param ?int $requests null: as many as there is time or the source has
     * @param ?float $seconds null: as long as it takes
     * @param float $timeout seconds from the start of a request to the last byte of its answer
     * @param bool $insecure whether a certificate that cannot be verified is accepted
     * @param ?Statuses $errorStatus answers with one of them are failures; null for 4xx and 5xx
     * @param int $keepBytes how much of each answer's body the observer gets to see
     * @param float $pause seconds between a user's answer and its next request
     * @param ?Stages $stages of users, or of requests per second when open; null for as many users all the time
     * @param ?Expectation $expected what else makes an answer a success
     * @param bool $isOpen whether requests begin at their times, whatever has been answered by then
     */
    private function __construct(
        public ?int $requests,
        public ?float $seconds,
        public int $concurrency,
        public float $timeout,
        public bool $insecure,
        ?Statuses $errorStatus,
        public int $keepBytes,
        public float $pause,
        public ?Stages $stages,
        public bool $isOpen,
        public ?Expectation $expected,
    ) {
        $this->errorStatus = $errorStatus ?? Statuses::ofErrors();
        $this->accepted = $expected === null || $expected->statuses === [] ? null : array_flip($expected->statuses);
        self::within('requests', $requests ?? 1, 1, self::MAX_REQUESTS);
        self::within('duration', $seconds ?? 1.0, 0.001, self::MAX_SECONDS);
        self::within('concurrency', $concurrency, 1, self::MAX_CONCURRENCY);
        self::within('timeout', $timeout, 0.001, self::MAX_TIMEOUT);
        self::within('keep-bytes', $keepBytes, 0, self::MAX_KEPT_BYTES);

        if (! ($pause >= 0.0 && $pause <= self::MAX_PAUSE)) {
            throw InvalidPlan::option(
                'pause',
                (string) ($pause * 1000),
                'a number of milliseconds from 0 to '.self::MAX_PAUSE * 1000,
            );
        }
    }

    /** @throws InvalidPlan */
    public static function requests(
        int $requests,
        int $concurrency = self::DEFAULT_CONCURRENCY,
        float $timeout = self::DEFAULT_TIMEOUT,
        bool $insecure = false,
        ?Statuses $errorStatus = null,
        int $keepBytes = 0,
        float $pause = 0.0,
        ?Expectation $expected = null,
    ): self {
        return new self(
            $requests,
            null,
            $concurrency,
            $timeout,
            $insecure,
            $errorStatus,
            $keepBytes,
            $pause,
            null,
            false,
            $expected,
        );
    }

    /**
     * What is in flight when the time is over is given up and counted as unfinished.
     *
     * @throws InvalidPlan
     */
    public static function duration(
        float $seconds,
        int $concurrency = self::DEFAULT_CONCURRENCY,
        float $timeout = self::DEFAULT_TIMEOUT,
        bool $insecure = false,
        ?Statuses $errorStatus = null,
        int $keepBytes = 0,
        float $pause = 0.0,
        ?Expectation $expected = null,
    ): self {
        return new self(
            null,
            $seconds,
            $concurrency,
            $timeout,
            $insecure,
            $errorStatus,
            $keepBytes,
            $pause,
            null,
            false,
            $expected,
        );
    }

    /**
     * Until the source has no more requests; what is in flight then is waited for.
     *
     * @throws InvalidPlan
     */
    public static function everything(
        int $concurrency = self::DEFAULT_CONCURRENCY,
        float $timeout = self::DEFAULT_TIMEOUT,
        bool $insecure = false,
        ?Statuses $errorStatus = null,
        int $keepBytes = 0,
        float $pause = 0.0,
        ?Expectation $expected = null,
    ): self {
        return new self(
            null,
            null,
            $concurrency,
            $timeout,
            $insecure,
            $errorStatus,
            $keepBytes,
            $pause,
            null,
            false,
            $expected,
        );
    }

    /**
     * The closed model with a number of users that changes. What is in flight in the end is given up
     * and counted as unfinished.
     *
     * @throws InvalidPlan
     */
    public static function users(
        Stages $users,
        float $timeout = self::DEFAULT_TIMEOUT,
        bool $insecure = false,
        ?Statuses $errorStatus = null,
        int $keepBytes = 0,
        float $pause = 0.0,
        ?Expectation $expected = null,
    ): self {
        // As the run itself rounds: at 0.4 of a user there is none.
        $most = (int) round($users->most());

        if ($most < 1 || $most > self::MAX_CONCURRENCY) {
            throw InvalidPlan::option(
                'ramp',
                (string) $users->most(),
                'of 1 to '.self::MAX_CONCURRENCY.' users where there are the most',
            );
        }

        return new self(
            null,
            $users->seconds(),
            $most,
            $timeout,
            $insecure,
            $errorStatus,
            $keepBytes,
            $pause,
            $users,
            false,
            $expected,
        );
    }

    /**
     * The open model: each request has a time at which it is due, and its response time counts from then. What is in
     * flight in the end is waited for; what could not begin until then, because so many others were in flight,
     * is dropped and counted.
     *
     * @param Stages $perSecond requests per second
     * @param int $concurrency how many may be in flight at once
     *
     * @throws InvalidPlan
     */
    public static function rate(
        Stages $perSecond,
        int $concurrency = self::DEFAULT_IN_FLIGHT,
        float $timeout = self::DEFAULT_TIMEOUT,
        bool $insecure = false,
        ?Statuses $errorStatus = null,
        int $keepBytes = 0,
        ?Expectation $expected = null,
    ): self {
        if ($perSecond->secondsUntil(0) === null) {
            throw InvalidPlan::option('rate', '0', 'more than 0 requests per second');
        }

        return new self(
            null,
            $perSecond->seconds(),
            $concurrency,
            $timeout,
            $insecure,
            $errorStatus,
            $keepBytes,
            0.0,
            $perSecond,
            true,
            $expected,
        );
    }

    /**
     * The open model with the times of the source, which has to tell them (ArrivalTimes): those of a log, for example.
     *
     * @param int $concurrency how many may be in flight at once
     * @param ?float $seconds when the source ends at the latest, as it says itself; null when its last request ends it
     *
     * @throws InvalidPlan
     */
    public static function timed(
        int $concurrency = self::DEFAULT_IN_FLIGHT,
        float $timeout = self::DEFAULT_TIMEOUT,
        bool $insecure = false,
        ?Statuses $errorStatus = null,
        int $keepBytes = 0,
        ?Expectation $expected = null,
        ?float $seconds = null,
    ): self {
        return new self(
            null,
            $seconds,
            $concurrency,
            $timeout,
            $insecure,
            $errorStatus,
            $keepBytes,
            0.0,
            null,
            true,
            $expected,
        );
    }

    /**
     * Users without a request are none.
     *
     * @internal
     */
    public function mostInFlight(): int
    {
        return $this->isOpen ? $this->concurrency : min($this->concurrency, $this->requests ?? PHP_INT_MAX);
    }

    public function accepts(int $status): bool
    {
        return $this->accepted === null ? ! $this->errorStatus->contains($status) : isset($this->accepted[$status]);
    }

    /**
     * @return array{
     *     model: string,
     *     requests: ?int,
     *     duration_s: ?float,
     *     concurrency: int,
     *     timeout_s: float,
     *     error_status: string,
     *     insecure: bool,
     *     pause_s: float,
     *     stages: ?list<array{from: float, to: float, seconds: float}>,
     *     expect_status: ?list<int>,
     *     expect_body: ?string,
     * }
     */
    public function toArray(): array
    {
        return [
            'model' => $this->isOpen ? 'open' : 'closed',
            'requests' => $this->requests,
            'duration_s' => $this->seconds,
            'concurrency' => $this->concurrency,
            'timeout_s' => $this->timeout,
            'error_status' => $this->errorStatus->text,
            'insecure' => $this->insecure,
            'pause_s' => $this->pause,
            'stages' => $this->stages?->toArray(),
            'expect_status' => $this->accepted === null ? null : array_keys($this->accepted),
            'expect_body' => $this->expected?->body,
        ];
    }

    private static function within(string $option, int|float $value, int|float $min, int|float $max): void
    {
        // Written this way round, so that NAN is refused too.
        if (! ($value >= $min && $value <= $max)) {
            throw InvalidPlan::option(
                $option,
                (string) $value,
                (is_int($min) ? 'a whole number' : 'a number of seconds')." from {$min} to {$max}",
            );
        }
    }
}
