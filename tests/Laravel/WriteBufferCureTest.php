<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Doctor\Database\BufferAdvice;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\DatabaseWindow;
use Headroom\Doctor\Database\Engine;
use Headroom\Doctor\Database\RowLockWait;
use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

use function array_column;
use function dirname;
use function file_get_contents;
use function file_put_contents;
use function preg_match;
use function preg_match_all;
use function str_contains;
use function str_replace;
use function strtolower;

/**
 * The doctor says to buffer writes: what its texts tell you to type is typed here,
 * in an application with real processes.
 */
#[Group('doctor')]
final class WriteBufferCureTest extends ApplicationTestCase
{
    #[Test]
    public function the_counter_that_requests_wait_for_is_counted_by_a_bucket(): void
    {
        $text = self::ofHotRow('shop.page_hits');
        $this->app->execute('create table page_hits (id integer primary key, count integer not null)');
        $this->app->execute('insert into page_hits values (7, 40)');

        $this->follow($text, 3, '$id = 7;');

        self::assertSame([['id' => 7, 'count' => 43]], $this->app->rows('select id, count from page_hits'));
    }

    #[Test]
    public function rows_that_requests_insert_are_inserted_by_a_flusher(): void
    {
        $this->app->execute('create table page_views (path text, at datetime)');

        $this->follow(BufferAdvice::insteadOfInserts(), 2, '$path = "/a";');

        self::assertSame(['/a', '/a'], array_column($this->app->rows('select path from page_views'), 'path'));
    }

    /** @return iterable<string, array{string, string, string}> table, table of the bucket, name of the bucket */
    public static function tables(): iterable
    {
        yield 'of a database' => ['shop.counters', 'counters', 'counters'];
        yield 'in capitals' => ['shop.PageHits', 'PageHits', 'pagehits'];
        yield 'one of two' => ['public.counters or public.orders', 'counters', 'counters'];
        yield 'by itself' => ['_hits', '_hits', 'hits'];
        yield 'a name that nobody can type' => ["shop.it's", 'counters', 'counters'];
        yield 'a name that is code' => ["x'], die()", 'counters', 'counters'];
        yield 'a name without a letter' => ['shop.___', '___', 'counters'];
    }

    #[Test]
    #[DataProvider('tables')]
    public function the_table_that_is_waited_for_is_the_tables_own_bucket(
        string $table,
        string $of,
        string $bucket,
    ): void {
        $text = self::ofHotRow($table);

        self::assertStringContainsString("'table' => '{$of}'", $text);
        self::assertSame(1, preg_match("/Buffer::bucket\('([^']+)'\)/", $text, $called));
        self::assertSame($bucket, $called[1]);
        self::assertStringContainsString("`'{$bucket}' => [", $text);
    }

    #[Test]
    public function a_table_of_another_database_keeps_its_name(): void
    {
        $table = static fn (string $table): string => preg_match(
            "/'table' => '([^']+)'/",
            BufferAdvice::insteadOfCounting($table, 'shop'),
            $said,
        ) === 1 ? $said[1] : '';

        self::assertSame(
            ['hits', 'hits', 'hits', 'crm.hits'],
            array_map($table, ['shop.hits', 'public.hits', 'hits', 'crm.hits']),
        );
        self::assertStringContainsString("bucket('hits')", BufferAdvice::insteadOfCounting('crm.hits', 'shop'));
    }

    #[Test]
    public function each_page_that_is_named_is_there_with_its_section(): void
    {
        foreach ([BufferAdvice::insteadOfInserts(), BufferAdvice::insteadOfCounting()] as $text) {
            self::assertSame(1, preg_match('~(docs/[a-z-]+\.md)(?:#([a-z-]+))?~', $text, $named));
            $page = (string) file_get_contents(dirname(__DIR__, 2).'/'.$named[1]);
            self::assertTrue(! isset($named[2]) || str_contains(strtolower($page), "\n## {$named[2]}\n"), $text);
        }
    }

    /** @param string $given what the example has from the request */
    private function follow(string $text, int $times, string $given): void
    {
        preg_match_all('/`([^`]+)`/', $text, $code);
        $commands = [];
        $bucket = '';
        $call = '';

        foreach ($code[1] as $each) {
            match (true) {
                preg_match('/\A(?:php )?artisan ([a-z]+(?::[a-z]+)?)\z/', $each, $command) === 1
                    => $commands[] = $command[1],
                str_contains($each, '=> [') => $bucket = $each,
                default => $call = $each,
            };
        }

        self::assertSame(['spool:install', 'migrate', 'spool:health'], $commands);
        $this->artisan($commands[0]);
        $file = $this->app->path('config/spool.php');
        $config = str_replace(
            "'buckets' => [",
            "'buckets' => [\n        {$bucket},",
            (string) file_get_contents($file),
            $count,
        );
        self::assertSame(1, $count);
        file_put_contents($file, $config);
        file_put_contents(
            $this->app->path('routes/console.php'),
            "<?php\nuse Headroom\\Laravel\\Facades\\Buffer;\nArtisan::command('app:write', function () {\n"
                ."    {$given}\n    {$call};\n});\n",
        );
        $this->artisan('migrate', '--force');
        $this->artisan($commands[2]);

        for ($time = 0; $time < $times; $time++) {
            $this->artisan('app:write');
        }

        $this->artisan('spool:flush');
    }

    private function artisan(string ...$words): void
    {
        $outcome = $this->app->artisan(...$words);
        self::assertSame(0, $outcome->exit, $outcome->all());
    }

    private static function ofHotRow(string $table): string
    {
        $window = new DatabaseWindow(
            1.1,
            0.001,
            0.01,
            ['innodb_row_lock_waits' => 40.0],
            null,
            10,
            [$table => new RowLockWait(9, 12)],
        );
        $diagnosis = Examined::by('D10', [
            DatabaseWindow::class => static fn (): DatabaseWindow => $window,
            DatabaseServer::class => static fn (): DatabaseServer => new DatabaseServer(
                Engine::Mariadb,
                '11.4',
                [],
                [],
            ),
        ]);

        return $diagnosis->problems()[0]->finding->fix->text ?? '';
    }
}
