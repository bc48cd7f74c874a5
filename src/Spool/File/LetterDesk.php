<?php

declare(strict_types=1);

namespace Headroom\Spool\File;

use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Spool\Claim;
use Headroom\Spool\DamagedLetter;
use Headroom\Spool\Letter;
use Headroom\Spool\LetterClaim;
use Headroom\Spool\Letters;
use Headroom\Spool\UnableToFlush;

/**
 * What an operator does with a bucket's dead letters.
 *
 * @internal
 */
final readonly class LetterDesk implements Letters
{
    private LetterClaim $claim;

    public function __construct(private FileStore $store, private string $bucket, private Clock $clock)
    {
        $this->claim = new LetterClaim($store, $bucket, $clock);
    }

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
        return $this->claim->during(function (Claim $claim) use ($positions): int {
            $letters = LetterClaim::chosen($claim, $positions);

            foreach ($letters as $letter) {
                $this->store->letters($this->bucket)->remember($letter->position);
            }

            return count($letters);
        });
    }

    /** @param list<Position> $positions */
    private function retryAtOnce(array $positions): int
    {
        $retried = $this->claim->during(function (Claim $claim) use ($positions): int {
            // What an earlier retry has left half done is finished by this.
            self::seal($claim);
            $letters = array_values(array_filter(LetterClaim::chosen($claim, $positions), static fn (Letter|DamagedLetter $letter): bool => $letter instanceof Letter));

            if ($letters !== []) {
                (new Revival($this->store->layout($this->bucket), $this->store->permissions, $claim->source->node, $this->bucket))->write($letters, $this->clock->micros());
            }

            return count($letters);
        });

        if ($retried > 0) {
            $this->claim->during(static function (Claim $claim): int {
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
}
