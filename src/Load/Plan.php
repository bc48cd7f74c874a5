<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * The amount of load, its executor, and the timeout of a request. In the closed model, each virtual user has one
 * request in flight and starts the next one after the response. In the open model (arrivalRate(), arrivalTimes()),
 * requests are due at fixed times.
 */
final readonly class Plan
{
    public const DEFAULT_CONCURRENCY = 10;

    public const DEFAULT_TIMEOUT = 8.0;

    /** The most requests in flight at once, in the open model. */
    public const DEFAULT_IN_FLIGHT = 500;

    private const MAX_REQUESTS = 1_000_000_000_000;

    private const MAX_SECONDS = 604_800.0;

    private const MAX_CONCURRENCY = 10_000;

    private const MAX_TIMEOUT = 3_600.0;

    private const MAX_PAUSE = 3_600.0;

    private const MAX_KEPT_BYTES = 1_048_576;

    /** @var ?array<int, int> by status; null for all that are not errors */
    private ?array $accepted;

    public Statuses $errorStatus;

    /**
     * @param ?int $requests null if the time or the source limits them
     * @param ?float $seconds null if the requests or the source limit the time
     * @param float $timeout seconds from the start of a request to the last byte of the response
     * @param bool $insecure whether to accept a certificate that cannot be verified
     * @param ?Statuses $errorStatus statuses that count as errors; null for 4xx and 5xx
     * @param int $keepBytes bytes of each response body that the observer receives
     * @param float $pause seconds that a virtual user waits after each iteration
     * @param ?Stages $stages virtual users or, in the open model, requests per second; null for constant virtual users
     * @param ?Expectation $expected further conditions for a success
     * @param bool $isOpen whether requests are due at fixed times
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
     * Requests that are in flight at the end count as unfinished.
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
     * Until the source has no more requests and all of them have ended.
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
     * The closed model with a number of virtual users that follows stages. Requests that are in flight at the end count
     * as unfinished.
     *
     * @throws InvalidPlan
     */
    public static function rampingVus(
        Stages $vus,
        float $timeout = self::DEFAULT_TIMEOUT,
        bool $insecure = false,
        ?Statuses $errorStatus = null,
        int $keepBytes = 0,
        float $pause = 0.0,
        ?Expectation $expected = null,
    ): self {
        // RampingVus rounds the same way: 0.4 virtual users are none.
        $most = (int) round($vus->most());

        if ($most < 1 || $most > self::MAX_CONCURRENCY) {
            throw InvalidPlan::option(
                'stage',
                (string) $vus->most(),
                'stages whose largest target is from 1 to '.self::MAX_CONCURRENCY.' virtual users',
            );
        }

        return new self(
            null,
            $vus->seconds(),
            $most,
            $timeout,
            $insecure,
            $errorStatus,
            $keepBytes,
            $pause,
            $vus,
            false,
            $expected,
        );
    }

    /**
     * The open model: response times start when a request is due. At the end, requests in flight are waited for.
     * Requests that did not start, because too many others were in flight, count as dropped.
     *
     * @param Stages $perSecond requests per second
     * @param int $concurrency the most requests in flight at once
     *
     * @throws InvalidPlan
     */
    public static function arrivalRate(
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
     * The open model with the times of the source, which implements ArrivalTimes, such as those of a log.
     *
     * @param int $concurrency the most requests in flight at once
     * @param ?float $seconds the end of the source, by its own limit; null if its last request is the end
     *
     * @throws InvalidPlan
     */
    public static function arrivalTimes(
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
     * Virtual users that would have no request to send are not started.
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
        // This form of the comparison refuses NAN too.
        if (! ($value >= $min && $value <= $max)) {
            throw InvalidPlan::option(
                $option,
                (string) $value,
                (is_int($min) ? 'a whole number' : 'a number of seconds')." from {$min} to {$max}",
            );
        }
    }
}
