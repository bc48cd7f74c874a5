<?php

declare(strict_types=1);

namespace Headroom\Spool\File;

use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Spool\Claim;
use Headroom\Spool\DamagedLetter;
use Headroom\Spool\Letter;
use Headroom\Spool\Letters;
use Headroom\Spool\UnableToFlush;

/**
 * What an operator does with a bucket's dead letters.
 *
 * @internal
 */
final readonly class LetterDesk implements Letters
{
    /** A flush that is under way is waited for so long, ten milliseconds at a time. */
    private const TRIES = 500;

    public function __construct(private FileStore $store, private string $bucket, private Clock $clock) {}

    /**
     * @return iterable<Letter|DamagedLetter> in the order of the log
     *
     * @throws UnableToFlush
     */
    public function letters(): iterable
    {
        $layout = $this->store->layout($this->bucket);

        return $this->store->letters($this->bucket)->before((new StateFile($layout->stateFile, $this->store->permissions))->read()->flush->progress->position);
    }

    /**
     * Puts their events into the log again, behind all that is there. Each keeps its id.
     *
     * @param list<Position> $positions
     * @return int how many were there to be retried
     *
     * @throws UnableToFlush
     */
    public function retry(array $positions): int
    {
        $retried = 0;

        foreach (array_chunk($positions, Revival::MAX_LETTERS) as $some) {
            $retried += $this->retryAtOnce($some);
        }

        return $retried;
    }

    /**
     * @param list<Position> $positions
     * @return int how many were there to be forgotten
     *
     * @throws UnableToFlush
     */
    public function forget(array $positions): int
    {
        return $this->claimed(function (Claim $claim) use ($positions): int {
            $letters = $this->chosen($claim, $positions);

            foreach ($letters as $letter) {
                $this->store->letters($this->bucket)->remember($letter->position);
            }

            return count($letters);
        });
    }

    /** @param list<Position> $positions */
    private function retryAtOnce(array $positions): int
    {
        $retried = $this->claimed(function (Claim $claim) use ($positions): int {
            // What an earlier retry has left half done is finished by this.
            self::seal($claim);
            $letters = array_values(array_filter($this->chosen($claim, $positions), static fn (Letter|DamagedLetter $letter): bool => $letter instanceof Letter));

            if ($letters !== []) {
                (new Revival($this->store->layout($this->bucket), $this->store->permissions, $claim->source->node, $this->bucket))->write($letters, $this->clock->micros());
            }

            return count($letters);
        });

        if ($retried > 0) {
            $this->claimed(static function (Claim $claim): int {
                self::seal($claim);

                return 0;
            });
        }

        return $retried;
    }

    private static function seal(Claim $claim): void
    {
        foreach ($claim->log->read($claim->log->state()->progress->position) as $item) {
            break;
        }
    }

    /**
     * @param list<Position> $positions
     * @return list<Letter|DamagedLetter>
     */
    private function chosen(Claim $claim, array $positions): array
    {
        $wanted = array_fill_keys(array_map(static fn (Position $position): string => $position->toString(), $positions), true);
        $letters = [];

        foreach ($claim->letters->before($claim->log->state()->progress->position) as $letter) {
            if (isset($wanted[$letter->position->toString()])) {
                $letters[] = $letter;
            }
        }

        return $letters;
    }

    /** @param callable(Claim): int $work */
    private function claimed(callable $work): int
    {
        $claim = $this->claim();

        try {
            return $work($claim);
        } finally {
            $claim->release(Position::start());
        }
    }

    private function claim(): Claim
    {
        for ($try = 1; $try < self::TRIES; $try++) {
            $claim = $this->store->claim($this->bucket);

            if ($claim !== null) {
                return $claim;
            }

            $this->clock->sleep(10_000);
        }

        throw UnableToFlush::beingFlushed($this->bucket);
    }
}
