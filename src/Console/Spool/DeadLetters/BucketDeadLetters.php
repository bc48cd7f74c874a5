<?php

declare(strict_types=1);

namespace Headroom\Console\Spool\DeadLetters;

use Headroom\Core\Position;
use Headroom\Spool\DeadLetters\DeadLetterId;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;

/**
 * Dead letters of one bucket that a command works on.
 *
 * @internal
 */
final readonly class BucketDeadLetters
{
    /** @param list<DeadLetter|CorruptDeadLetter> $letters */
    public function __construct(public string $bucket, public array $letters) {}

    /** @return list<DeadLetter> */
    public function readable(): array
    {
        return array_values(array_filter(
            $this->letters,
            static fn (object $letter): bool => $letter instanceof DeadLetter,
        ));
    }

    /** @return list<CorruptDeadLetter> */
    public function corrupt(): array
    {
        return array_values(array_filter(
            $this->letters,
            static fn (object $letter): bool => $letter instanceof CorruptDeadLetter,
        ));
    }

    /**
     * @param list<DeadLetter|CorruptDeadLetter> $letters
     * @return list<Position>
     */
    public static function positions(array $letters): array
    {
        return array_map(static fn (DeadLetter|CorruptDeadLetter $letter): Position => $letter->position, $letters);
    }

    /** @return list<string> the ids that select this dead letter on a command line */
    public function names(DeadLetter|CorruptDeadLetter $letter): array
    {
        $id = DeadLetterId::of($this->bucket, $letter->position)->toString();

        return $letter instanceof DeadLetter ? [$id, $letter->id] : [$id];
    }
}
