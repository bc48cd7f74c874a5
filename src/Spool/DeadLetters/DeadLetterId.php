<?php

declare(strict_types=1);

namespace Headroom\Spool\DeadLetters;

use Headroom\Core\Position;

/**
 * The id of a dead letter, unique among all buckets: `api-events:1-116-1` is at segment 1, offset 116, index 1 of
 * bucket api-events.
 *
 * @internal
 */
final readonly class DeadLetterId
{
    /** Limits the digits, so that no cast to int overflows. */
    private const FORM = '/\A([^:]+):0*(\d{1,18})-0*(\d{1,18})-0*(\d{1,5})\z/';

    private function __construct(public string $bucket, private string $place) {}

    public static function of(string $bucket, Position $position): self
    {
        return new self($bucket, "{$position->segment}-{$position->offset}-{$position->index}");
    }

    /** @return ?self null for any other text, such as the id of an event */
    public static function tryFrom(string $text): ?self
    {
        return preg_match(self::FORM, $text, $m) === 1 ? new self($m[1], "{$m[2]}-{$m[3]}-{$m[4]}") : null;
    }

    public function position(): Position
    {
        [$segment, $offset, $index] = array_map(intval(...), explode('-', $this->place)) + [0, 0, 0];

        return new Position(max(0, $segment), max(0, $offset), max(0, min(65_535, $index)));
    }

    public function toString(): string
    {
        return "{$this->bucket}:{$this->place}";
    }
}
