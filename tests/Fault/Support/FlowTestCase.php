<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use RuntimeException;

/**
 * For what a flusher does as a sink tells it: buckets "each" and "partly". Each flush is a process of its own.
 */
abstract class FlowTestCase extends DeadLetterTestCase
{
    /** Long after the boot, and long after the epoch. */
    protected const NOW = 1_800_000_000;

    protected const BOOT = 500_000;

    /** @return array<string, mixed> what it told */
    protected function flushed(string $bucket, ?World $world = null): array
    {
        return $this->child('flush', [$bucket], world: $world)->result();
    }

    /** @return array<string, mixed> what it told; it waits where a flush has said so */
    protected function flushedInTurn(string $bucket, ?World $world = null): array
    {
        return $this->child('flush in turn', [$bucket], world: $world)->result();
    }

    /** @return bool false when it never came there */
    protected function flushedUntil(string $point, string $bucket, ?World $world = null): bool
    {
        $child = $this->child('flush', [$bucket], [$point => Act::Kill], $world);

        try {
            $child->awaitKilled();

            return true;
        } catch (RuntimeException) {
            return false;
        }
    }

    protected function setClock(int $seconds, ?int $sinceBoot = null): void
    {
        FileClock::set($this->world->directory, self::NOW + $seconds, self::BOOT + ($sinceBoot ?? $seconds));
    }

    /** @param string $only the id of the event that the sink takes now; all of them unless given */
    protected function repair(string $only = ''): void
    {
        file_put_contents("{$this->world->directory}/lines.json.repaired", $only);
    }

    /** @param list<string> $ids those that begin with "bad" die, of the others each arrives */
    protected function assertAllSettled(array $ids, string $bucket): void
    {
        $bad = array_values(array_filter($ids, static fn (string $id): bool => str_starts_with($id, 'bad')));
        $good = array_values(array_diff($ids, $bad));

        self::assertEqualsCanonicalizing($good, array_values(array_unique($this->world->lines())));
        $this->assertDead($bad, $bucket);
        $this->assertCounts(accepted: count($ids), delivered: count($good), dead: count($bad), bucket: $bucket);
        self::assertSame(0, $this->world->status($bucket)->events->pending);
    }

    /** @return list<string> "point#time" for each of the first times */
    protected static function times(int $most, string ...$points): array
    {
        $all = [];

        foreach ($points as $point) {
            foreach (range(1, $most) as $time) {
                $all[] = "{$point}#{$time}";
            }
        }

        return $all;
    }
}
