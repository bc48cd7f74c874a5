<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Headroom\Spool\AppendFailure;
use Headroom\Spool\RefusalOutcome;

/**
 * A period in which a bucket refuses events. It is over when no event was refused for a minute. A successful append
 * cannot end it, because recording each success would slow down every append.
 *
 * @internal
 */
final readonly class RefusalIncident
{
    public const QUIET_MICROS = 60_000_000;

    /**
     * @param int $since microseconds since the Unix epoch
     * @param int $last time of the latest refusal, in microseconds since the Unix epoch
     * @param AppendFailure $failure the latest one
     * @param array<string, int> $events number of events by outcome
     * @param list<string> $logged failures and outcomes that were logged
     */
    public function __construct(
        public int $since,
        public int $last,
        public AppendFailure $failure,
        public array $events = [],
        public array $logged = [],
    ) {}

    /** Also true when the clock was set back by that much. */
    public function isOver(int $now): bool
    {
        return abs($now - $this->last) >= self::QUIET_MICROS;
    }

    public function isLogged(AppendFailure $failure, RefusalOutcome $outcome): bool
    {
        return in_array(self::key($failure, $outcome), $this->logged, true);
    }

    public function with(AppendFailure $failure, RefusalOutcome $outcome, int $count, int $now): self
    {
        return new self(
            $this->since,
            $now,
            $failure,
            [...$this->events, $outcome->value => ($this->events[$outcome->value] ?? 0) + $count],
            $this->isLogged($failure, $outcome) ? $this->logged : [...$this->logged, self::key($failure, $outcome)],
        );
    }

    /** "12 went to the sink directly, 3 were dropped". */
    public function sum(): string
    {
        $words = [
            'direct' => 'went to the sink directly',
            'dropped' => 'were dropped',
            'rolled_back' => "were rolled back with their caller's transaction",
            'thrown' => 'were refused with an exception',
            'on_disk' => 'went to the disk instead of Redis',
        ];

        return implode(
            ', ',
            array_map(
                static fn (string $outcome, int $events): string => "{$events} ".($words[$outcome] ?? $outcome),
                array_keys($this->events),
                $this->events,
            ),
        );
    }

    /** @return array{since: int, last: int, failure: string, events: array<string, int>, told: list<string>} */
    public function toArray(): array
    {
        return [
            'since' => $this->since,
            'last' => $this->last,
            'failure' => $this->failure->value,
            'events' => $this->events,
            'told' => $this->logged,
        ];
    }

    private static function key(AppendFailure $failure, RefusalOutcome $outcome): string
    {
        return "{$failure->value} {$outcome->value}";
    }
}
