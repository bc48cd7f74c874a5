<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

use Headroom\Bench\Results\Piece;
use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Report\Page\Unit;

/**
 * So many users for so many seconds, and what they got.
 */
final readonly class Step
{
    /**
     * @param float $answers per second, refusals left out
     * @param array<string, ?float> $millis by percentile; null where it says nothing
     */
    private function __construct(
        public int $users,
        public float $seconds,
        public float $answers,
        public array $millis,
        public int $errors,
    ) {}

    /** @throws UnableToReadResults */
    public static function of(Piece $step): self
    {
        $number = $step->number(...);
        [$requests, $refused] = [$number('requests'), $number('refused')];
        // The client times refusals too, which cost no time: what is mostly those is nobody's response time.
        $isTold = $requests > 0 && $refused < $requests / 2;

        return new self($step->whole('users'), $number('seconds'), $number('requests_per_second'), [
            'p50' => $isTold ? $number('p50_ms') : null,
            'p95' => $isTold ? $number('p95_ms') : null,
            'p99' => $isTold ? $number('p99_ms') : null,
        ], $step->whole('refused') + $step->whole('broken'));
    }

    public function rate(): string
    {
        return number_format($this->answers).' requests/s';
    }

    public function half(): string
    {
        return $this->millis['p50'] === null
            ? 'hardly an answer'
            : 'half within '.Unit::Millis->words($this->millis['p50']);
    }

    public function failed(): string
    {
        return match ($this->errors) {
            0 => 'no errors',
            1 => '1 error',
            default => number_format($this->errors).' errors',
        };
    }
}
