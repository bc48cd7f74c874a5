<?php

declare(strict_types=1);

namespace Headroom\Bench\Buffer;

use Closure;
use Headroom\Core\Clock;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Buffer;

/**
 * The cost of an event for a request, in nanoseconds, measured from the array on. The ways take turns in short
 * blocks, so a busy moment of the machine slows all of them.
 *
 * @internal
 */
final readonly class AppendBenchmark
{
    private const BLOCK = 200;

    /** Each of these appends waits for the disk. */
    private const SLOW_BLOCK = 20;

    private const MANY = 100;

    private const WARM_UP_BLOCKS = 1;

    /** @param Closure(): bool $isStopped */
    public function __construct(private ScratchDirectory $scratch, private Clock $clock, private Closure $isStopped) {}

    /** @return array<string, list<int>> nanoseconds by way */
    public function run(float $seconds): array
    {
        $end = $this->clock->monotonicNanos() + (int) (1e9 * $seconds);
        $samples = [];

        for ($round = 0; ($round <= self::WARM_UP_BLOCKS || $this->clock->monotonicNanos() < $end)
            && ! ($this->isStopped)(); $round++) {
            foreach ($this->ways() as $name => $block) {
                $nanos = $block();
                $samples[$name] = $round < self::WARM_UP_BLOCKS ? [] : [...$samples[$name] ?? [], ...$nanos];
                $this->scratch->clear('append');
            }
        }

        return array_filter($samples, static fn (array $nanos): bool => $nanos !== []);
    }

    /** @return array<string, string|int> about 300 bytes of JSON */
    public static function event(int $number): array
    {
        return [
            'user_id' => $number,
            'event' => 'api_call',
            'endpoint' => '/api/v1/orders',
            'ip' => '203.0.113.7',
            'created_at' => '2026-01-01 00:00:00',
            'agent' => str_repeat('x', 170),
        ];
    }

    /** @return array<string, Closure(): list<int>> */
    private function ways(): array
    {
        return [
            'naive' => function (): array {
                $file = $this->scratch->directory('append').'/events.log';

                return $this->block(
                    self::BLOCK,
                    static fn (int $i) => file_put_contents(
                        $file,
                        json_encode(self::event($i), JSON_THROW_ON_ERROR)."\n",
                        FILE_APPEND | LOCK_EX,
                    ),
                );
            },
            'opened' => fn (): array => $this->opened('process', self::BLOCK),
            'kept' => fn (): array => $this->kept(self::BLOCK, static function (Buffer $buffer, int $i): void {
                $buffer->buffer(self::event($i), 'process');
            }),
            'many' => fn (): array => array_map(
                static fn (int $nanos): int => intdiv($nanos, self::MANY),
                $this->kept(intdiv(self::BLOCK, 10), static function (Buffer $buffer, int $i): void {
                    $buffer->bucket('process')->addMany(array_map(self::event(...), range(1, self::MANY)));
                }),
            ),
            'power' => fn (): array => $this->opened('power', self::SLOW_BLOCK),
        ];
    }

    /** @return list<int> */
    private function opened(string $bucket, int $times): array
    {
        $buffer = $this->buffer();
        $buffer->buffer(self::event(0), $bucket);

        return $this->block($times, static fn (int $i) => $buffer->buffer(self::event($i), $bucket));
    }

    /**
     * @param Closure(Buffer, int): void $append
     * @return list<int>
     */
    private function kept(int $times, Closure $append): array
    {
        $buffer = $this->buffer();

        return $buffer->hold(function () use ($buffer, $times, $append): array {
            // Not by its end: the process shares open resources with its parent, and a normal end would close them.
            $append($buffer, 0);
            $append($buffer, 0);

            return $this->block($times, static fn (int $i) => $append($buffer, $i));
        });
    }

    /** @return list<int> */
    private function block(int $times, Closure $append): array
    {
        $nanos = [];

        for ($i = 0; $i < $times; $i++) {
            $start = $this->clock->monotonicNanos();
            $append($i);
            $nanos[] = $this->clock->monotonicNanos() - $start;
        }

        return $nanos;
    }

    private function buffer(): Buffer
    {
        return Buffer::onDisk(AppendConfig::fromArray([
            'path' => $this->scratch->directory('append').'/buffer',
            'buckets' => [
                'process' => ['sink' => 'none'],
                'power' => ['sink' => 'none', 'durability' => 'power'],
            ],
        ]));
    }
}
