<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

/**
 * One place in the crew, and whoever fills it: the process that works, while it is replaced the one that comes and the
 * one that leaves. Times are nanoseconds of the clock that never runs backwards.
 *
 * @internal
 */
final class Post
{
    /** One that lived this long and then ended is no part of a crash loop. */
    private const SETTLED_NANOS = 30_000_000_000;

    private const MOST_FAILURES = 5;

    private const LONGEST_PAUSE_SECONDS = 30;

    public ?Hand $working = null;

    public ?Hand $coming = null;

    public ?Hand $leaving = null;

    /** Given up: whatever is started here ends at once. */
    public bool $isBroken = false;

    public int $startAt = 0;

    public int $failures = 0;

    /** Why the next one is started, for the metrics; null for the first one. */
    public ?string $restart = null;

    /** @param list<string> $command */
    public function __construct(
        public readonly string $name,
        public readonly array $command,
        public readonly bool $isFlusher = false,
    ) {}

    /** @return list<Hand> */
    public function hands(): array
    {
        return array_values(array_filter(
            [$this->working, $this->coming, $this->leaving],
            static fn (?Hand $hand): bool => $hand !== null,
        ));
    }

    public function isVacant(int $now): bool
    {
        return $this->working === null && $this->coming === null && ! $this->isBroken && $now >= $this->startAt;
    }

    public function isBeingReplaced(): bool
    {
        return $this->leaving !== null || $this->coming !== null;
    }

    /**
     * @param bool $hasWorked what ended it came later than its start, perhaps from outside: nobody may end the
     *     collector by sending it often
     * @return ?int seconds until the next try; null when there will be none
     */
    public function failed(int $now, int $startedAt, bool $hasWorked): ?int
    {
        $this->failures = $now - $startedAt >= self::SETTLED_NANOS ? 1 : $this->failures + 1;

        if ($hasWorked) {
            // A second's pause at most.
            $this->failures = min($this->failures, 2);
        }

        if ($this->failures > self::MOST_FAILURES) {
            $this->isBroken = true;

            return null;
        }

        $pause = $this->failures === 1 ? 0 : min(self::LONGEST_PAUSE_SECONDS, 2 ** ($this->failures - 2));
        $this->startAt = $now + $pause * 1_000_000_000;

        return $pause;
    }

    /** Somebody says that it may work now. */
    public function forgive(): void
    {
        $this->isBroken = false;
        $this->failures = 0;
        $this->startAt = 0;
    }
}
