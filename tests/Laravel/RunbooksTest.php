<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Support\Markdown\CodeBlock;
use Headroom\Tests\Support\Markdown\MarkdownPage;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * docs/runbooks.md: the commands as printed, in the situation that each section is for.
 */
final class RunbooksTest extends TestCase
{
    private const PAGE = 'docs/runbooks.md';

    private const BUCKET = "'api-events' => ['sink' => 'database', 'table' => 'api_events']";

    private ScratchApplication $app;

    protected function setUp(): void
    {
        $this->app = ScratchApplication::onThisCheckout();
        $this->declares(self::BUCKET);
        $this->app->migrate();
    }

    protected function tearDown(): void
    {
        $this->app->remove();
    }

    #[Test]
    public function rows_that_do_not_arrive_arrive(): void
    {
        $this->adds(3);
        $this->follow('Rows do not arrive');
        $this->has(rows: 3, pending: 0);
    }

    #[Test]
    public function a_full_disk_that_was_freed_takes_events_again(): void
    {
        $this->adds(2);
        $this->follow('The disk is full');
        $this->adds(1);
        $this->artisan('spool:flush');
        $this->has(rows: 3, pending: 0);
    }

    #[Test]
    public function a_database_that_was_down_gets_everything(): void
    {
        $this->app->execute('alter table api_events rename to gone');
        $this->adds(2);
        self::assertSame(1, $this->app->artisan('spool:flush')->exit);
        $this->app->execute('alter table gone rename to api_events');

        $this->follow('The database was down');
        $this->has(rows: 2, pending: 0);
    }

    #[Test]
    public function a_restored_database_gets_back_what_the_backup_lacks(): void
    {
        $this->adds(2);
        $this->artisan('spool:flush');
        $backup = $this->app->read('database/database.sqlite');
        $this->adds(3);
        $this->artisan('spool:flush');
        $this->has(rows: 5, pending: 0);
        [$pause, $verify, $resume, $printed] = $this->blocks('The database is restored from a backup');

        $this->runs($pause);
        $this->adds(1);
        $this->app->write('database/database.sqlite', $backup);
        $this->runs($verify, exits: [0, 1]);
        self::assertSame(2, $this->rows(), 'Nothing is delivered while the bucket is paused.');
        self::assertStringContainsString($printed->code, $this->runs($resume));

        $this->has(rows: 6, pending: 0);
        self::assertSame(
            [
                ['event' => 'console-0', 'n' => 3],
                ['event' => 'console-1', 'n' => 2],
                ['event' => 'console-2', 'n' => 1],
            ],
            $this->app->rows('select event, count(*) as n from api_events group by event order by event'),
            'Each event is there once.',
        );
    }

    #[Test]
    public function an_empty_database_gets_what_was_never_delivered(): void
    {
        $this->adds(2);
        $this->artisan('spool:flush');
        $this->app->write('database/database.sqlite', '');
        $this->adds(1);

        $this->follow('The database is replaced by an empty one');
        $this->has(rows: 1, pending: 0);
    }

    #[Test]
    public function a_bucket_is_retired(): void
    {
        $this->adds(2);
        [$flush, $retire] = $this->blocks('Retire or rename a bucket');
        $this->runs($flush);
        $this->declares('');
        $this->runs($retire);

        self::assertSame(2, $this->rows());
        self::assertSame([], $this->inBuffer()['buckets']);
        self::assertSame(0, $this->app->artisan('spool:health')->exit);
    }

    /** @return iterable<string, array{string}> */
    public static function adoptions(): iterable
    {
        yield 'of a lost server' => ['A server is lost'];
        yield 'of a directory that was moved' => ['Move the buffer to another directory'];
        yield 'of an old release' => ['A deploy left a buffer behind'];
    }

    #[Test]
    #[DataProvider('adoptions')]
    public function a_buffer_that_lies_elsewhere_is_delivered(string $section): void
    {
        $this->adds(3);
        $this->app->run(['mv', $this->app->path('storage/app/private/buffer'), $this->app->path('elsewhere')]);
        $this->adds(1);

        $this->follow($section, [
            '/mnt/lost/buffer' => 'elsewhere',
            '/srv/shop/old-buffer' => 'elsewhere',
            '/srv/shop/releases/41/storage/app/private/buffer' => 'elsewhere',
        ]);
        $this->artisan('spool:flush');
        $this->has(rows: 4, pending: 0);
    }

    #[Test]
    public function a_server_that_is_removed_holds_nothing(): void
    {
        $this->adds(3);
        $this->follow('A server is removed');
        $this->has(rows: 3, pending: 0);
    }

    #[Test]
    public function a_server_with_a_dead_letter_is_not_free_to_go(): void
    {
        $this->app->execute(
            "create trigger strict before insert on api_events when new.event like '%-1' begin select"
                ." raise(abort, 'no'); end",
        );
        $this->adds(3);
        [$flush, $check] = $this->blocks('A server is removed');

        $this->runs($flush);
        $this->runs($check, exits: [1]);
    }

    #[Test]
    public function a_dead_letter_arrives_when_the_table_is_fixed(): void
    {
        $this->app->execute(
            "create trigger strict before insert on api_events when new.event like '%-1' begin select"
                ." raise(abort, 'no'); end",
        );
        $this->adds(3);
        $this->artisan('spool:flush');
        self::assertSame(2, $this->rows());
        $this->app->execute('drop trigger strict');

        $this->follow('A row became a dead letter');
        $this->has(rows: 3, pending: 0);
    }

    #[Test]
    public function without_the_buffer_rows_are_inserted_and_the_rest_is_delivered(): void
    {
        $this->adds(2);
        $off = $this->app->run(['php', 'artisan', 'app:buffer', '1'], ['SPOOL_ENABLED' => 'false']);
        self::assertSame(0, $off->exit, $off->all());
        self::assertSame(1, $this->rows());

        $this->follow('Stop using the buffer');
        $this->has(rows: 3, pending: 0);
    }

    #[Test]
    public function no_section_has_commands_that_no_test_runs(): void
    {
        $sections = array_unique(array_map(
            static fn (CodeBlock $block): string => $block->heading,
            MarkdownPage::at(self::PAGE)->blocks(),
        ));
        $code = (string) file_get_contents(__FILE__);

        foreach ($sections as $section) {
            self::assertStringContainsString("'{$section}'", $code);
        }
    }

    /** @param array<string, string> $paths of this machine, by those of the page */
    private function follow(string $section, array $paths = []): void
    {
        foreach ($this->blocks($section) as $block) {
            $this->runs($block, $paths, exits: str_contains($block->code, 'spool:status') ? [0, 1] : [0]);
        }
    }

    /** @return list<CodeBlock> */
    private function blocks(string $section): array
    {
        $blocks = MarkdownPage::at(self::PAGE)->under($section);
        self::assertNotSame([], $blocks, $section);

        return $blocks;
    }

    /**
     * @param array<string, string> $paths
     * @param list<int> $exits
     */
    private function runs(CodeBlock $block, array $paths = [], array $exits = [0]): string
    {
        $outcome = $this->app->run(['bash', '-ec', strtr($block->code, $paths)]);
        self::assertContains($outcome->exit, $exits, "{$block->place()}: {$block->code}{$outcome->all()}");

        return $outcome->all();
    }

    private function declares(string $bucket): void
    {
        $this->app->config('spool', "['buckets' => [{$bucket}]]");
    }

    private function adds(int $events): void
    {
        $this->artisan('app:buffer', (string) $events);
    }

    private function artisan(string ...$arguments): void
    {
        $outcome = $this->app->artisan(...$arguments);
        self::assertSame(0, $outcome->exit, $outcome->all());
    }

    private function has(int $rows, int $pending): void
    {
        self::assertSame([$rows, $pending], [$this->rows(), $this->inBuffer()['pending']]);
    }

    private function rows(): int
    {
        $rows = $this->app->rows('select id from api_events');

        return count($rows);
    }

    /** @return array{pending: int, buckets: list<mixed>} */
    private function inBuffer(): array
    {
        /** @var array{pending: int, buckets: list<mixed>} */
        return json_decode($this->app->artisan('spool:status', '--json')->out, true, flags: JSON_THROW_ON_ERROR);
    }
}
