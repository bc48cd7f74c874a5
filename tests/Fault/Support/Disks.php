<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Closure;
use Headroom\Core\SystemClock;
use Headroom\Spool\Recovery\NodeIdReplacement;
use Headroom\Spool\UnableToFlush;
use PHPUnit\Framework\Assert;
use Random\Randomizer;
use Symfony\Component\Process\Process;

/**
 * Disks with a buffer each that are copied, put back and cloned, beside what each of them was given.
 */
final class Disks
{
    private const STEPS = ['append', 'append', 'append', 'flush', 'flush', 'flush', 'copy', 'walk', 'restore', 'clone'];

    /** @var array<string, list<string>> ids that were acknowledged and lie on it, by disk */
    private array $held;

    /** @var array<string, list<string>> */
    private array $copies = [];

    /** @var array<string, int> when an event had been accepted, by id */
    private array $times = [];

    private int $made = 0;

    /** @var list<string> green flushes of disks that had something which never arrived */
    private array $silent = [];

    public function __construct(private readonly World $world, private readonly string $prefix)
    {
        $this->held = ["{$prefix}disk" => []];
    }

    /** @return bool whether a flush has refused, since its disk forked */
    public function step(Randomizer $random): bool
    {
        $step = self::STEPS[$random->getInt(0, count(self::STEPS) - 1)];
        $disk = $this->one($random, $this->held);
        $path = "{$this->world->directory}/{$disk}";

        if ($step === 'append') {
            $this->append($disk, $random->getInt(1, 3));
        } elseif ($step === 'flush') {
            return $this->flush($disk);
        } elseif ($step === 'restore' && $this->copies !== []) {
            $copy = $this->one($random, $this->copies);
            $this->shell('rm', '-rf', $path);
            $this->shell('cp', '-a', "{$this->world->directory}/{$copy}", $path);
            $this->held[$disk] = $this->copies[$copy];
        } elseif ($step !== 'restore' && is_dir($path) && count($this->held) < 4) {
            $name = $this->prefix.$step.++$this->made;
            $isForked = $this->copy(
                $path,
                "{$this->world->directory}/{$name}",
                $step === 'walk' ? fn (): bool => $this->flush($disk) : null,
            );
            $step === 'clone' ? $this->held[$name] = $this->held[$disk] : $this->copies[$name] = $this->held[$disk];

            return $isForked;
        }

        return false;
    }

    /**
     * Each disk that forked gets an id of its own, and leaves to the others what they have delivered.
     *
     * @return int how many these were
     */
    public function settle(): int
    {
        $forks = 0;

        foreach (array_keys($this->held) as $disk) {
            if ($this->flush($disk)) {
                (new NodeIdReplacement($this->world->withRoot($disk)->runtime()))->run($this->copiedAt($disk), false);
                Assert::assertFalse($this->flush($disk), $disk);
                $forks++;
            }
        }

        return $forks;
    }

    /** @return list<string> */
    public function silent(): array
    {
        return $this->silent;
    }

    /**
     * As a backup walks through a directory that lives: what was a slot when it began is a segment when it ends.
     *
     * @param ?Closure(): bool $meanwhile null where it stands still
     */
    private function copy(string $path, string $to, ?Closure $meanwhile): bool
    {
        $this->shell('cp', '-a', $path, $to);
        $isForked = $meanwhile?->__invoke() === true;

        foreach ($meanwhile === null ? [] : array_filter(
            (array) glob("{$path}/buckets/*", GLOB_ONLYDIR),
            is_string(...),
        ) as $bucket) {
            $copy = "{$to}/buckets/".basename($bucket);
            $this->shell('cp', '-a', "{$copy}/active", "{$copy}.active");
            $this->shell('rm', '-r', $copy);
            $this->shell('cp', '-a', $bucket, $copy);
            $this->shell('rm', '-r', "{$copy}/active");
            $this->shell('mv', "{$copy}.active", "{$copy}/active");
        }

        return $isForked;
    }

    /** Just behind the last event of the disk that has arrived: the lives of all copies were one until then. */
    private function copiedAt(string $disk): int
    {
        $arrived = array_intersect($this->held[$disk], $this->world->rows());

        return $arrived === [] ? 0 : $this->times[end($arrived)] + 1;
    }

    private function append(string $disk, int $events): void
    {
        for ($n = 0; $n < $events; $n++) {
            // Of one length: only what is in it tells it from another.
            $id = sprintf('%s%04d', $this->prefix, ++$this->made);
            $this->world->withRoot($disk)->append([$id]);
            $this->times[$id] = (new SystemClock)->micros();
            usleep(2);
            $this->held[$disk][] = $id;
        }
    }

    private function flush(string $disk): bool
    {
        $world = $this->world->withRoot($disk);
        $report = $world->flush();
        $status = $world->status();
        $told = "{$disk} of ".implode(', ', array_keys($this->held));
        $rows = array_filter($this->world->rows(), fn (string $id): bool => str_starts_with($id, $this->prefix));
        $missing = array_values(array_diff($this->held[$disk], $rows));

        Assert::assertSame(array_values(array_unique($rows)), array_values($rows), "Something arrived twice: {$told}");
        Assert::assertSame(0, $status->events->missing, $told);
        Assert::assertSame(
            $status->events->accepted,
            $status->events->delivered + $status->events->dead + $status->events->dropped + $status->events->pending,
            $told,
        );

        if ($report->failure === null) {
            $this->silent = [...$this->silent, ...($missing === [] ? [] : ["{$told}: ".implode(', ', $missing)])];
            Assert::assertFalse($status->isForked, $told);
        } else {
            Assert::assertInstanceOf(UnableToFlush::class, $report->failure, $told);
            Assert::assertTrue($status->isForked, $told);
        }

        return $report->failure !== null;
    }

    /** @param array<string, list<string>> $of */
    private function one(Randomizer $random, array $of): string
    {
        return array_keys($of)[$random->getInt(0, count($of) - 1)];
    }

    private function shell(string ...$command): void
    {
        (new Process($command))->mustRun();
    }
}
