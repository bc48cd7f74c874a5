<?php

declare(strict_types=1);

namespace Headroom\Load\Processes;

use Headroom\Load\Expectation;
use Headroom\Load\Failure;
use Headroom\Load\FailureCount;
use Headroom\Load\Histogram;
use Headroom\Load\Journeys;
use Headroom\Load\Measurement;
use Headroom\Load\Plan;
use Headroom\Load\Progress;
use Headroom\Load\ReplayedLog;
use Headroom\Load\Slot;
use Headroom\Load\Stage;
use Headroom\Load\Stages;
use Headroom\Load\StepTally;
use Headroom\Load\Tally;
use Headroom\Load\Timeline;

/**
 * What the processes of one run say to each other, a line each, over pipes that nobody else has.
 *
 * @internal
 */
final readonly class Message
{
    private const CLASSES = [
        Expectation::class, Failure::class, FailureCount::class, Histogram::class, Journeys::class, Measurement::class, Plan::class, Progress::class,
        ReplayedLog::class, Slot::class, Stage::class, Stages::class, StepTally::class, Tally::class, Timeline::class,
    ];

    public function __construct(public Word $word, public mixed $content = null) {}

    /** @return ?self null when it is something else, such as a warning of PHP */
    public static function parse(string $line): ?self
    {
        $parts = explode(' ', $line, 2);
        $word = Word::tryFrom($parts[0]);

        return $word === null ? null : new self($word, unserialize((string) base64_decode($parts[1] ?? '', true), ['allowed_classes' => self::CLASSES]));
    }

    public function line(): string
    {
        return $this->word->value.' '.base64_encode(serialize($this->content))."\n";
    }
}
