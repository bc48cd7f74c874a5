<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Process\Programs;
use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Support\Printed;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;

/**
 * The command measures, and leaves nothing behind. No test checks the figures.
 */
#[Group('snapshot')]
final class BenchCommandTest extends ApplicationTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->app->config(
            'spool',
            "['path' => storage_path('app/private/buffer'), 'buckets' => ['api-events' => ['sink' => 'database',"
                ." 'table' => 'api_events']]]",
        );
    }

    #[Test, Group('day-2')]
    public function it_prints_tables_and_the_machine_and_leaves_nothing(): void
    {
        $ran = $this->bench();

        self::assertSame([0, ''], [$ran->exit, $ran->err], $ran->out);
        $lines = explode("\n", $ran->out);
        Sentence::assertNames(['1 s'], $lines[0]);
        self::assertStringContainsString($this->app->path('storage/app/private/spool-bench-'), $lines[0]);
        self::assertSame(6, preg_match_all('/^\D.*(?: +[\d,.]+){3}$/m', $ran->out), 'Five ways to append, a flusher.');
        self::assertSame(4, preg_match_all('/^[1248](?: +[\d,.]+){2}$/m', $ran->out), 'Processes at once.');
        self::assertStringContainsString('PHP '.PHP_VERSION, $ran->out);
        $tables = substr($ran->out, 0, (int) strrpos($ran->out, "\n\n"));
        $labels = (string) preg_replace('/(?: +[\d,.]+)+$/m', '', $tables);
        Snapshot::assertPrinted('spool:bench', 'without a database', $labels);
        self::assertLessThanOrEqual(80, max([0, ...array_map(strlen(...), array_slice($lines, 1, 17))]), $ran->out);
        $this->assertNothingIsLeft();
        self::assertDirectoryDoesNotExist($this->app->path('storage/app/private/buffer'));
    }

    #[Test]
    #[Group('proof')]
    public function into_a_database_it_makes_its_own_table_and_drops_all_it_made(): void
    {
        $this->app->migrate();
        $ran = $this->bench('--database=sqlite', '--json');
        $document = json_decode($ran->out, true);

        self::assertSame(0, $ran->exit, $ran->all());
        self::assertIsArray($document);
        self::assertSame(['machine', 'append_micros', 'parallel', 'flush_rows_per_second'], array_keys($document));
        self::assertSame(['none', 'database'], array_keys((array) $document['flush_rows_per_second']));
        self::assertSame(
            [[], [], []],
            [
                $this->benchTables(),
                $this->app->rows('select * from spool_ledger'),
                $this->app->rows('select * from api_events'),
            ],
        );
        $this->assertNothingIsLeft();
    }

    #[Test]
    public function without_a_ledger_there_it_says_what_to_do_and_leaves_nothing(): void
    {
        $ran = $this->bench('--database=sqlite', '--json');

        self::assertSame(1, $ran->exit);
        Sentence::assertNames(
            ['spool_ledger', 'sqlite', '`php artisan spool:install`', '`php artisan migrate`'],
            $ran->out,
        );
        self::assertSame([], $this->benchTables());
        $this->assertNothingIsLeft();
    }

    #[Test]
    public function an_unknown_connection_or_one_that_is_down_fails_and_leaves_nothing(): void
    {
        $this->app->config(
            'database',
            "['default' => 'sqlite', 'connections' => ['down' => ['driver' => 'mysql', 'host' => '127.0.0.1', 'port' =>"
                ." 1, 'database' => 'x', 'username' => 'x', 'password' => 'x']]]",
        );
        $mistyped = $this->bench('--database=mistyped');
        $down = $this->bench('--database=down');

        self::assertSame(2, $mistyped->exit);
        $laravel = 'Database connection [mistyped] not configured.';
        Sentence::assertNames(['--database=mistyped', $laravel, 'config/database.php'], $mistyped->err);
        self::assertSame(1, $down->exit);
        self::assertStringContainsString('Connection refused', $down->all());
        $this->assertNothingIsLeft();
    }

    #[Test]
    #[RequiresPhpExtension('pcntl')]
    public function a_signal_ends_it_early_and_it_still_cleans_up(): void
    {
        $this->app->migrate();
        $process = $this->app->process([
            Programs::php(), 'artisan', '--no-ansi', 'spool:bench', '--seconds=50', '--database=sqlite',
        ]);
        $process->start();
        Printed::by($process, 'spool-bench-');
        $process->signal(SIGINT);

        self::assertSame(1, $process->wait(), $process->getOutput());
        Snapshot::assertPrinted('spool:bench', 'a signal ends it', $process->getErrorOutput());
        self::assertSame([[], []], [$this->benchTables(), $this->app->rows('select * from spool_ledger')]);
        $this->assertNothingIsLeft();
    }

    private function bench(string ...$options): Outcome
    {
        return $this->app->artisan('spool:bench', '--seconds=1', ...array_values($options));
    }

    private function assertNothingIsLeft(): void
    {
        self::assertSame([], glob($this->app->path('storage/app/private').'/*'));
    }

    /** @return list<array<string, mixed>> */
    private function benchTables(): array
    {
        return $this->app->rows("select name from sqlite_master where name like 'spool_bench%'");
    }
}
