<?php

declare(strict_types=1);

namespace Headroom\Spool\DeadLetters;

use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Spool\FileStore\DeadLetters\Redrive;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\UnableToFlush;

/**
 * What an operator does with a bucket's dead letters.
 *
 * @internal
 */
final readonly class FileDeadLetterQueue implements DeadLetterQueue
{
    private DeadLetterLock $lock;

    public function __construct(private FileStore $store, private string $bucket, private Clock $clock)
    {
        $this->lock = new DeadLetterLock($store, $bucket, $clock);
    }

    /**
     * @return iterable<DeadLetter|CorruptDeadLetter> in the order of the log
     *
     * @throws UnableToFlush
     */
    public function letters(): iterable
    {
        $layout = $this->store->layout($this->bucket);

        return $this->store->letters($this->bucket)
            ->before((new StateFile($layout->stateFile, $this->store->permissions))->read()->flush->progress->position);
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

        foreach (array_chunk($positions, Redrive::MAX_LETTERS) as $some) {
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
        return $this->lock->during(function (ConsumerLease $lease) use ($positions): int {
            $letters = DeadLetterLock::chosen($lease, $positions);

            foreach ($letters as $letter) {
                $this->store->letters($this->bucket)->remember($letter->position);
            }

            return count($letters);
        });
    }

    /** @param list<Position> $positions */
    private function retryAtOnce(array $positions): int
    {
        $retried = $this->lock->during(function (ConsumerLease $lease) use ($positions): int {
            // What an earlier retry has left half done is finished by this.
            $lease->seal();
            $letters = array_values(array_filter(
                DeadLetterLock::chosen($lease, $positions),
                static fn (DeadLetter|CorruptDeadLetter $letter): bool => $letter instanceof DeadLetter,
            ));

            if ($letters !== []) {
                (new Redrive(
                    $this->store->layout($this->bucket),
                    $this->store->permissions,
                    $lease->source()->node,
                    $this->bucket,
                ))->write($letters, $this->clock->micros());
            }

            return count($letters);
        });

        if ($retried > 0) {
            $this->lock->during(static function (ConsumerLease $lease): int {
                $lease->seal();

                return 0;
            });
        }

        return $retried;
    }
}
