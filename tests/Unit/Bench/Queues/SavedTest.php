<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues;

use Headroom\Bench\Queues\DriverFacts;
use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Fault;
use Headroom\Bench\Queues\Finding;
use Headroom\Bench\Queues\Findings;
use Headroom\Bench\Queues\Outcome;
use Headroom\Bench\Queues\Probed;
use Headroom\Bench\Queues\Saved;
use Headroom\Bench\Queues\Variant;
use Headroom\Bench\Queues\Workload;
use Headroom\Bench\Results\Origin;
use Headroom\Bench\Results\Piece;
use Headroom\Bench\Results\UnableToReadResults;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class SavedTest extends TestCase
{
    #[Test]
    public function written_findings_are_read_unchanged(): void
    {
        $findings = self::findings();
        $written = $findings->toArray();
        $read = self::read(self::json($written));

        self::assertSame($written, $read->toArray());
        self::assertSame(self::json($written), self::json($read->toArray()));
        self::assertSame($findings->isValid(), $read->isValid());
    }

    #[Test]
    public function figures_do_not_change_by_having_been_written(): void
    {
        foreach (range(1, 200) as $nanos) {
            $written = (new Findings([Made::finding([Made::outcome(
                1e12 / (123_456_789 + 7_919 * $nanos),
                waits: [$nanos / 7, $nanos / 3],
            )])]))->toArray();
            $once = self::json(self::read(self::json($written))->toArray());

            self::assertSame(self::json($written), $once);
        }
    }

    /** @return iterable<string, array{string, mixed, string}> */
    public static function wrong(): iterable
    {
        $numbers = [
            '0/workload/sleep_s', '0/outcomes/0/cpu/busy', '0/outcomes/0/cpu/stolen',
            '0/outcomes/0/probe_before/cpu_us', '0/outcomes/1/probe_after/fdatasync_us', '0/outcomes/0/depth/1/0',
            '0/outcomes/1/waits_ms/1',
        ];
        $whole = [
            '0/workload/jobs', '0/workload/workers', '0/workload/payload_bytes', '0/workload/job_ms',
            '0/workload/tries', '0/outcomes/0/jobs', '0/outcomes/0/counted', '0/outcomes/0/executions',
            '0/outcomes/0/depth/1/1', '0/outcomes/2/faults/0/count', '0/outcomes/1/errors/Gone',
        ];
        $optional = [
            '0/workload/counted', '0/workload/retry_after_s', '0/workload/arrivals_per_s', '0/outcomes/0/seconds',
        ];
        $texts = [
            '0/variant', '0/refused', '0/driver/software', '0/driver/durability', '0/driver/settings/appendfsync',
            '0/driver/notes/0', '0/outcomes/2/faults/0/fault', '0/outcomes/2/faults/0/words',
        ];
        $tables = [
            '0/driver', '0/driver/settings', '0/driver/notes', '0/workload', '0/outcomes', '0/outcomes/0',
            '0/outcomes/0/depth', '0/outcomes/0/depth/0', '0/outcomes/0/waits_ms', '0/outcomes/0/faults',
            '0/outcomes/2/faults/0', '0/outcomes/0/probe_before', '0/outcomes/0/probe_after', '0/outcomes/0/cpu',
            '0/outcomes/0/errors', '0',
        ];

        foreach ([...$numbers, ...$whole, ...$optional] as $path) {
            yield "{$path} is text" => [$path, '12', $path];
            yield "{$path} is a table" => [$path, [], $path];
        }

        foreach ([...$numbers, ...$whole, ...$texts, ...$tables] as $path) {
            yield "{$path} is null" => [$path, null, $path];
        }

        foreach ($whole as $path) {
            yield "{$path} is half" => [$path, 1.5, $path];
            yield "{$path} is negative" => [$path, -1, $path];
        }

        foreach (['0/workload/jobs', '0/workload/workers', '0/outcomes/0/jobs', '0/workload/counted'] as $path) {
            yield "{$path} is none" => [$path, 0, $path];
        }

        foreach ([...$texts, ...$tables] as $path) {
            yield "{$path} is a number" => [$path, 1, $path];
        }

        yield 'no time at all' => ['0/outcomes/0/seconds', 0, '0/outcomes/0/seconds'];
        yield 'a time before the release' => ['0/outcomes/0/seconds', -0.5, '0/outcomes/0/seconds'];
        yield 'more counted than were queued' => ['0/outcomes/1/counted', 4, '0/outcomes/1/counted'];
        yield 'nothing counted in some time' => ['0/outcomes/1/counted', 0, '0/outcomes/1/counted'];
        yield 'a depth before the one above it' => ['0/outcomes/1/depth/0/0', 0.6, '0/outcomes/1/depth/1/0'];
        yield 'a row that is there already' => ['1/variant', 'redis, block_for 5', '1/variant'];
        yield 'more jobs than there are numbers' => ['0/outcomes/0/jobs', PHP_INT_MAX, '0/outcomes/0/jobs'];
        yield 'a durability that is not known' => ['0/driver/durability', 'mostly', '0/driver/durability'];
        yield 'a fault that is not known' => ['0/outcomes/2/faults/0/fault', 'boredom', '0/outcomes/2/faults/0/fault'];
    }

    #[Test]
    #[DataProvider('wrong')]
    public function a_piece_that_is_wrong_is_named_by_its_place(string $path, mixed $value, string $where): void
    {
        $this->expectException(UnableToReadResults::class);
        $this->expectExceptionMessage('queues.json: findings.'.strtr($where, '/', '.').' ');

        self::read(self::with(
            self::json(self::findings()->toArray()),
            explode('/', $path),
            static fn (): array => [$value],
        ));
    }

    /** @return iterable<string, array{string}> */
    public static function needed(): iterable
    {
        foreach ([
            'variant', 'refused', 'driver', 'workload', 'outcomes', 'driver/software', 'driver/durability',
            'driver/settings', 'driver/notes',
        ] as $path) {
            yield $path => ["0/{$path}"];
        }

        foreach (array_keys((new Workload(1, 0, 1))->toArray()) as $key) {
            yield $key => ["0/workload/{$key}"];
        }

        foreach ([
            'jobs', 'counted', 'executions', 'seconds', 'faults', 'waits_ms', 'depth', 'probe_before', 'probe_after',
            'cpu', 'errors',
        ] as $key) {
            yield "outcome {$key}" => ["0/outcomes/1/{$key}"];
        }
    }

    #[Test]
    #[DataProvider('needed')]
    public function a_piece_that_is_missing_is_named_by_its_place(string $path): void
    {
        $this->expectException(UnableToReadResults::class);
        $this->expectExceptionMessage('queues.json: findings.'.strtr($path, '/', '.').' ');

        self::read(self::with(self::json(self::findings()->toArray()), explode('/', $path), static fn (): array => []));
    }

    #[Test]
    public function no_findings_at_all_are_an_error(): void
    {
        $this->expectException(UnableToReadResults::class);
        $this->expectExceptionMessageMatches('/^queues\.json: findings .* make bench-queues$/');

        self::read([]);
    }

    /** @param array<array-key, mixed> $findings */
    private static function read(array $findings): Findings
    {
        return Saved::findings(Piece::of(['findings' => $findings], new Origin('queues.json', 'queues')));
    }

    private static function findings(): Findings
    {
        $probes = ['before' => new Probed(5_123.4567, 210.0004), 'after' => new Probed(5_001.1, 199.9)];
        $waiting = new Outcome(
            3,
            2,
            0.123456789,
            4,
            [[0.0, 3], [0.5004, 0]],
            [1 / 3, 2.0, 1_000.000001],
            [],
            $probes,
            ['busy' => 0.5, 'stolen' => 0.01],
            ['Gone' => 3],
        );

        return new Findings([
            new Finding(
                new Variant(
                    'redis, block_for 5',
                    new DriverFacts('Redis 7.0', Durability::Seconds, ['appendfsync' => 'everysec'], ['a note']),
                    new Workload(3, 0, 10, 2, 60_000, 3_500, 20.5, 2, 3, 0.1),
                ),
                [
                    Made::outcome(7_777.7), $waiting, Made::outcome(1, [Fault::lost([1, 2]), Fault::throttled('so')]),
                    Made::nothing(),
                ],
                4,
            ),
            Made::finding([], 'theirs', Durability::Unknown, 'theirs: gone'),
        ]);
    }

    /**
     * @param array<array-key, mixed> $array
     * @return array<array-key, mixed>
     */
    private static function json(array $array): array
    {
        $read = json_decode(
            json_encode($array, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION),
            true,
            flags: JSON_THROW_ON_ERROR,
        );

        return is_array($read) ? $read : [];
    }

    /**
     * @param array<array-key, mixed> $array
     * @param list<string> $path
     * @param callable(): array<mixed> $what the new value in a list, or none
     * @return array<array-key, mixed>
     */
    private static function with(array $array, array $path, callable $what): array
    {
        $key = array_shift($path);

        if ($path !== []) {
            $inner = $array[$key] ?? null;
            self::assertIsArray($inner);
            $array[$key] = self::with($inner, $path, $what);
        } else {
            self::assertArrayHasKey((string) $key, $array);
            // In its place: what stands elsewhere makes a list none.
            $array = $what() === []
                ? array_diff_key($array, [$key => true])
                : array_replace($array, [$key => $what()[0]]);
        }

        return $array;
    }
}
