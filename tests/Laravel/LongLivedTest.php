<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Process\Programs;
use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * Processes that serve thousands of requests, and test suites that boot thousands of applications: nothing grows.
 */
final class LongLivedTest extends ApplicationTestCase
{
    protected function setUp(): void
    {
        if (! is_dir('/proc/self/fd')) {
            self::markTestSkipped('There is no /proc here to see open files in.');
        }

        parent::setUp();
    }

    #[Test, Group('day-3')]
    public function thousands_of_requests_through_one_application_leave_nothing_behind(): void
    {
        $served = $this->serve('one', 3000);

        // After the first request, whose end the application has told, each event opens its file and closes it.
        self::assertEqualsCanonicalizing([[[0, 1, 1], 0], [[0, 0, 0], 0]], $served['seen']);
        $this->assertNothingGrew($served['looks']);
        self::assertSame(9000, $this->accepted());
    }

    #[Test]
    public function a_runner_that_makes_a_buffer_for_each_request_keeps_nothing(): void
    {
        $served = $this->serve('one', 1000, 'rebuilt');

        self::assertSame([[[0, 1, 1], 0]], $served['seen']);
        $this->assertNothingGrew($served['looks']);
    }

    #[Test, Group('day-3')]
    public function under_octane_each_request_task_tick_and_error_gives_back_its_slot(): void
    {
        $served = $this->serve('octane', 2000);

        self::assertEqualsCanonicalizing(
            array_map(static fn (string $kind): array => [$kind, [0, 1, 1], 0], ['request', 'task', 'tick', 'error']),
            $served['seen'],
        );
        $this->assertNothingGrew($served['looks']);
        self::assertSame(1, $served['listeners']);
        self::assertSame(6000, $this->accepted());
    }

    #[Test]
    public function under_octane_a_buffer_made_by_the_worker_gives_back_its_slot_each_request(): void
    {
        $served = $this->serve('octane', 1000, 'warm');

        self::assertEqualsCanonicalizing(
            array_map(static fn (string $kind): array => [$kind, [0, 1, 1], 0], ['request', 'task', 'tick', 'error']),
            $served['seen'],
        );
        $this->assertNothingGrew($served['looks']);
        self::assertSame(1, $served['listeners']);
    }

    #[Test]
    public function under_octane_each_page_of_the_dashboard_has_the_numbers_of_its_request(): void
    {
        $served = $this->serve('dashboard', 200);

        self::assertSame([[200, 200, 0, 0]], $served['seen']);
        $this->assertNothingGrew($served['looks']);
    }

    #[Test]
    #[Group('proof')]
    public function hundreds_of_applications_in_one_process_take_their_slots_with_them(): void
    {
        $served = $this->serve('applications', 300);
        $idle = $this->serve('applications', 300, 'idle');

        self::assertSame([[1], [0]], [$served['seen'], $idle['seen']]);
        $this->assertNothingIsHeld($served['looks']);
        // Laravel itself keeps some kilobytes of each. Sums would not compare: PHP takes room for what it compiles,
        // here 370 kB at a time, and how often in 150 applications depends on the length of their paths.
        self::assertLessThan(
            512,
            $served['of_each'] - $idle['of_each'],
            'Bytes that stay of an application, by the median.',
        );
    }

    /**
     * @return array{
     *     seen: list<mixed>,
     *     looks: list<array{descriptors: int, held: int, memory: int}>,
     *     listeners: int,
     *     of_each: int,
     * }
     */
    private function serve(string $mode, int $count, string ...$how): array
    {
        $process = $this->app->process([
            Programs::php(), '-d', 'memory_limit=512M', 'serve.php', $mode, (string) $count, ...array_values($how),
        ]);
        $process->setTimeout(180);
        $process->run();
        $served = json_decode($process->getOutput(), true);
        self::assertIsArray($served, $process->getOutput().$process->getErrorOutput().$this->app->log());

        /**
         * @var array{
         *     seen: list<mixed>,
         *     looks: list<array{descriptors: int, held: int, memory: int}>,
         *     listeners: int,
         *     of_each: int,
         * } $served serve.php wrote it
         */
        return $served;
    }

    /**
     * @param list<array{descriptors: int, held: int, memory: int}> $looks half-way and at the end
     */
    private function assertNothingGrew(array $looks): void
    {
        $this->assertNothingIsHeld($looks);
        self::assertLessThan(16_384, $looks[1]['memory'] - $looks[0]['memory'], 'Bytes gained in the second half.');
    }

    /** @param list<array{descriptors: int, held: int, memory: int}> $looks */
    private function assertNothingIsHeld(array $looks): void
    {
        [$half, $end] = $looks;

        self::assertSame($half['descriptors'], $end['descriptors']);
        self::assertSame([0, 0], [$half['held'], $end['held']]);
    }

    private function accepted(): int
    {
        $status = json_decode($this->app->artisan('spool:status', '--json')->out, true);
        $bucket = is_array($status) && is_array($status['buckets'] ?? null) ? $status['buckets'][0] ?? null : null;

        return is_array($bucket) && is_int($bucket['accepted']) ? $bucket['accepted'] : -1;
    }
}
