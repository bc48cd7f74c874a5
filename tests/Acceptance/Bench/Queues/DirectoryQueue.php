<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Bench\Queues;

use Headroom\Bench\Interrupted;
use Headroom\Bench\Queues\Driver;
use Headroom\Bench\Queues\NeedsStatistics;
use Headroom\Bench\Queues\Workload;
use Headroom\Core\SystemClock;
use Headroom\Process\TemporaryDirectory;
use RuntimeException;

/**
 * A queue of files: the worker that renames a file has the job.
 */
final class DirectoryQueue implements Driver, NeedsStatistics
{
    public readonly TemporaryDirectory $place;

    /** @var list<array{int, int}> first id and number of jobs of each push */
    public array $pushes = [];

    /** When all queued jobs had been counted, in monotonic nanoseconds. */
    public int $counted = 0;

    public int $resets = 0;

    /** @var list<int> how many jobs waited whenever statistics were made */
    public array $analyzed = [];

    private int $sizes = 0;

    /**
     * @param int $brokenPush the how-manieth push throws; 0 for none
     * @param int $brokenSize the how-manieth look at the size throws; 0 for none
     * @param bool $isSticky whether a job stays when the queue is emptied
     * @param bool $isStolen whether another client takes a job as soon as it is pushed
     * @param bool $isBreaking whether emptying it fails from the second time on
     * @param bool $isInterrupted whether it fails because of Ctrl-C
     */
    public function __construct(
        private readonly int $brokenPush = 0,
        private readonly int $brokenSize = 0,
        private readonly bool $isSticky = false,
        private readonly bool $isStolen = false,
        private readonly bool $isBreaking = false,
        private readonly bool $isInterrupted = false,
    ) {
        $this->place = TemporaryDirectory::create('directory-queue');
        array_map(fn (string $name): bool => mkdir($this->place->file($name)), ['waiting', 'reserved', 'seen']);
    }

    /** Jobs of other code in the same queue. */
    public function foreign(): string
    {
        return $this->place->write('waiting/foreign', 'theirs');
    }

    public function analyze(): void
    {
        $this->analyzed[] = count((array) glob($this->place->file('waiting/*')));
    }

    public function push(int $first, int $count, Workload $workload): void
    {
        $this->pushes[] = [$first, $count];

        if (count($this->pushes) === $this->brokenPush) {
            throw new RuntimeException("the disk\nis full");
        }

        for ($id = $first; $id < $first + $count; $id++) {
            $name = sprintf('%06d', $id);
            file_put_contents($this->place->file($name), $id.' '.(new SystemClock)->monotonicNanos());
            rename($this->place->file($name), $this->place->file("waiting/{$name}"));
        }

        $this->isStolen && unlink($this->place->file('waiting/'.sprintf('%06d', $first)));
    }

    public function size(): int
    {
        if (++$this->sizes === $this->brokenSize) {
            throw new RuntimeException('connection refused');
        }

        $size = count($this->files());
        // The first two looks are at the empty queue, the third before the release.
        $this->counted = $this->sizes <= 3 ? (new SystemClock)->monotonicNanos() : $this->counted;

        return $size;
    }

    public function reset(): void
    {
        if (++$this->resets > 1 && $this->isBreaking) {
            throw $this->isInterrupted ? Interrupted::bySignal(2) : new RuntimeException('gone away');
        }

        array_map(unlink(...), $this->files());
        $this->isSticky && touch($this->place->file('waiting/stays'));
    }

    /** @return list<string> what workers left there for the test, one by line or file */
    public function seen(string $pattern): array
    {
        $lines = [];

        foreach ((array) glob($this->place->file("seen/{$pattern}")) as $file) {
            array_push($lines, ...explode("\n", trim((string) file_get_contents((string) $file))));
        }

        return $lines;
    }

    /** @return list<string> */
    private function files(): array
    {
        return array_map(
            strval(...),
            [...(array) glob($this->place->file('waiting/*')), ...(array) glob($this->place->file('reserved/*'))],
        );
    }
}
