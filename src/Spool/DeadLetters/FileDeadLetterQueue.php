<?php

declare(strict_types=1);

namespace Headroom\Spool\DeadLetters;

use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Spool\FileStore\DeadLetters\RetrySegment;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;

/**
 * The dead letters of a bucket on disk.
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

    public function letters(): iterable
    {
        return $this->store->letters($this->bucket)->before($this->cursor());
    }

    public function positions(): array
    {
        return $this->store->letters($this->bucket)->positionsBefore($this->cursor());
    }

    public function at(array $positions): iterable
    {
        return $this->store->letters($this->bucket)->at($positions);
    }

    private function cursor(): Position
    {
        $layout = $this->store->layout($this->bucket);

        return (new StateFile($layout->stateFile, $this->store->permissions))->read()->flush->progress->position;
    }

    public function retry(array $positions): int
    {
        $retried = 0;

        foreach (array_chunk($positions, RetrySegment::MAX_LETTERS) as $chunk) {
            $retried += $this->retryChunk($chunk);
        }

        return $retried;
    }

    public function forget(array $positions): int
    {
        return $this->lock->during(function (ConsumerLease $lease) use ($positions): int {
            $letters = DeadLetterLock::select($lease, $positions);

            foreach ($letters as $letter) {
                $this->store->letters($this->bucket)->replaceWithTombstone($letter->position);
            }

            return count($letters);
        });
    }

    /** @param list<Position> $positions */
    private function retryChunk(array $positions): int
    {
        $retried = $this->lock->during(function (ConsumerLease $lease) use ($positions): int {
            // Completes an earlier retry that was interrupted.
            $lease->seal();
            $letters = array_values(array_filter(
                DeadLetterLock::select($lease, $positions),
                static fn (DeadLetter|CorruptDeadLetter $letter): bool => $letter instanceof DeadLetter,
            ));

            if ($letters !== []) {
                (new RetrySegment(
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
