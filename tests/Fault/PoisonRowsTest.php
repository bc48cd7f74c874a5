<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\InvalidEvent;
use Headroom\Tests\Fault\Support\Database;
use Headroom\Tests\Fault\Support\DeadLetterTestCase;
use Headroom\Tests\Fault\Support\PoisonTable;
use Headroom\Tests\Fault\Support\Torture;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;

/**
 * Rows that a database refuses because of their values, with any of its error codes: each becomes a dead letter alone,
 * and its bucket goes on.
 */
final class PoisonRowsTest extends DeadLetterTestCase
{
    #[Test, Group('day-1')]
    #[TestDox('event that fails with an ambiguous error code')]
    #[DataProviderExternal(Torture::class, 'databases')]
    public function each_poisonous_row_dies_alone_and_its_neighbours_arrive_once(Database $database): void
    {
        $this->useDatabase($database);
        $table = PoisonTable::make($this->world);
        $seed = random_int(1, 1_000_000);
        [$good, $number, $blocked] = [[], 0, []];

        foreach ($table->rows($seed) as $what => $row) {
            $number++;
            $good[] = "good {$number}";
            $this->append(["good {$number}"]);
            $this->offer(['id' => "bad {$number}"] + $row);
            $good[] = "good {$number} too";
            $this->append(["good {$number} too"]);
            $report = $this->world->flush();

            if ($report->failure !== null || $this->world->status()->events->pending > 0) {
                $blocked[] = "Seed {$seed}, {$what}: {$report->failure?->getMessage()}";
                $this->world->flush(limits: new FlushOptions(now: true, buryAll: true));
            }
        }

        Torture::fromEnvironment()->count(['poison_rows' => $number, 'poison_blocked' => count($blocked)]);
        self::assertSame([], $blocked);
        $this->assertGoodOnes($good, $seed);
    }

    #[Test, Group('day-2')]
    #[DataProviderExternal(Database::class, 'sampled')]
    public function all_of_them_in_one_batch_cost_no_good_one(Database $database): void
    {
        $this->useDatabase($database);
        $table = PoisonTable::make($this->world);
        $seed = random_int(1, 1_000_000);
        [$good, $number] = [[], 0];
        $rows = $table->rows($seed);

        foreach (['good first' => null, ...$rows, 'good last' => null] as $what => $row) {
            $number++;

            if ($row === null || $number % 3 === 0) {
                $good[] = "good {$number}";
                $this->append(["good {$number}"]);
            }

            if ($row !== null) {
                $this->offer(['id' => "bad {$number}"] + $row);
            }
        }

        $report = $this->world->flush();
        self::assertNull($report->failure, "Seed {$seed}: {$report->failure?->getMessage()}");
        $this->assertGoodOnes($good, $seed);
    }

    #[Test]
    #[DataProviderExternal(Database::class, 'sampled')]
    public function a_letter_names_the_column_whose_name_looks_like_a_placeholder(Database $database): void
    {
        $this->useDatabase($database);
        PoisonTable::make($this->world);
        $this->append(['good']);

        foreach ($names = [':x', 'a?b', ':id', 'what?'] as $number => $name) {
            $this->offer(['id' => "bad {$number}", $name => 'v']);
        }

        self::assertNull($this->world->flush()->failure);

        foreach ($this->letters() as $number => $letter) {
            self::assertStringContainsString($names[$number], $letter->reason);
            self::assertSame(1, substr_count($letter->reason, 'SQLSTATE'), $letter->reason);
        }

        self::assertCount(4, $this->letters());
    }

    #[Test, Group('day-3')]
    #[TestDox('event that fails with an ambiguous error code')]
    #[DataProviderExternal(Database::class, 'sampled')]
    public function a_failure_that_is_never_over_gets_five_flushes_and_then_kills_its_row(Database $database): void
    {
        $this->useDatabase($database);
        $table = PoisonTable::make($this->world);
        $good = ['good'];
        $this->append($good);
        $this->flush();

        foreach ($table->momentary() as $state => $row) {
            $this->append([$good[] = "before {$state}"]);
            $this->offer(['id' => "bad {$state}"] + $row);
            $this->append([$good[] = "behind {$state}"]);
            $failures = array_map(fn (): bool => $this->world->flush()->failure !== null, range(1, 5));

            self::assertSame([true, true, true, true, false], $failures, $state);
        }

        $this->assertGoodOnes($good, 0);
        self::assertCount(count($table->momentary()), $this->letters());

        foreach ($this->letters() as $letter) {
            self::assertStringNotContainsString('stay in the buffer', $letter->reason);
        }
    }

    #[Test, Group('day-2')]
    #[DataProviderExternal(Database::class, 'sampled')]
    public function tens_of_thousands_of_columns_fit_into_the_memory_of_a_small_host(Database $database): void
    {
        $this->useDatabase($database);
        $seed = random_int(1, 1_000_000);
        mt_srand($seed);
        // Every other time as many as a table may have, which are bound to a statement.
        $names = mt_rand(0, 1) === 1 ? mt_rand(900, 2_000) : mt_rand(2_000, 80_000);
        $value = [1, true, null, 'x', 0.5][mt_rand(0, 4)];
        $isOfItsOwn = mt_rand(0, 1) === 1;
        $this->append(['good first']);
        $this->flush();

        for ($row = 0, $rows = intdiv(450_000, $names); $row < $rows; $row++) {
            $this->offer(
                ['id' => "bad {$row}"] + array_fill_keys(
                    array_map(
                        static fn (int $n): string => base_convert((string) $n, 10, 36).'_'.($isOfItsOwn ? $row : ''),
                        range(1, $names),
                    ),
                    $value,
                ),
            );
        }

        $this->append(['good last']);
        $before = memory_get_usage();
        memory_reset_peak_usage();
        $report = $this->world->flush();

        self::assertNull($report->failure, "Seed {$seed}: {$report->failure?->getMessage()}");
        // Of the 128 MiB that PHP allows by default, an application has taken a third before it flushes.
        self::assertLessThan(64 * 1_048_576, memory_get_peak_usage() - $before, "Seed {$seed}");
        $this->assertGoodOnes(['good first', 'good last'], $seed);
    }

    /** @param non-empty-array<string, mixed> $row */
    private function offer(array $row): void
    {
        try {
            $this->world->buffer()->bucket('events')->add($row);
        } catch (InvalidEvent) {
            // Its caller is told at once.
        }
    }

    /** @param list<string> $good */
    private function assertGoodOnes(array $good, int $seed): void
    {
        $rows = array_filter(
            $this->world->database()->table('events')->pluck('id')->all(),
            static fn (mixed $id): bool => is_string($id) && ! str_starts_with($id, 'bad') && $id !== 'taken',
        );
        sort($good);
        sort($rows);
        self::assertSame($good, $rows, "Seed {$seed}");
        $status = $this->world->status();
        self::assertSame([0, 0], [$status->events->pending, $status->events->missing], "Seed {$seed}");
        self::assertSame($status->events->accepted, $status->events->delivered + $status->events->dead, "Seed {$seed}");
        self::assertCount($status->events->dead, $this->letters(), "Seed {$seed}");
    }
}
