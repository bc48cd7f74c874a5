<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\FaultPoint;
use Headroom\Core\Position;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\Store\DeadLetterStore;

final readonly class PointedLetters implements DeadLetterStore
{
    public function __construct(private DeadLetterStore $letters, private FaultPoint $faultPoint) {}

    public function add(DeadLetter $letter): void
    {
        $this->faultPoint->reached('letter.burying');
        $this->letters->add($letter);
        $this->faultPoint->reached('letter.buried');
    }

    public function discardVoid(Position $cursor, bool $isResent): array
    {
        return $this->letters->discardVoid($cursor, $isResent);
    }

    public function countTombstonesFrom(Position $cursor): int
    {
        return $this->letters->countTombstonesFrom($cursor);
    }

    public function before(Position $cursor): iterable
    {
        return $this->letters->before($cursor);
    }

    public function positionsBefore(Position $cursor): array
    {
        return $this->letters->positionsBefore($cursor);
    }

    public function at(array $positions): iterable
    {
        return $this->letters->at($positions);
    }
}
