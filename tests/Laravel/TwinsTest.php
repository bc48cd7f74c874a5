<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\Machines;
use Headroom\Tests\Support\Sentence;
use Illuminate\Filesystem\Filesystem;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Two machines with the id of one disk.
 */
final class TwinsTest extends TestCase
{
    private Machines $machines;

    protected function tearDown(): void
    {
        if (isset($this->machines)) {
            $this->machines->remove();
        }
    }

    #[Test, Group('day-2')]
    public function one_id_on_two_machines_is_told_by_each_command_that_looks(): void
    {
        $this->machines = new Machines(WorkbenchDatabase::Sqlite);
        $this->machines->node('a', 1);
        (new Filesystem)->copyDirectory(
            $this->machines->app->path('storage/a'),
            $this->machines->app->path('storage/copy'),
        );
        $this->machines->beatAgain('copy', 1);
        $this->machines->beatAgain('a', 0);

        $health = $this->machines->run('a', 'spool:health');
        self::assertSame(1, $health->exit);
        $id = trim($this->machines->app->read('storage/a/node'));
        $machine = '\('.preg_quote($this->machines->app->path('storage/'), '~').'(a|copy), pid \d+\)';
        self::assertMatchesRegularExpression("~ FAIL  node {$id}: .*{$machine}.*{$machine}~", $health->out);
        self::assertSame(1, $this->machines->run('b', 'spool:status', '--all')->exit);

        $paths = [
            $this->machines->app->path('storage/a'), $this->machines->app->path('storage/copy'), '`spool:new-id`',
        ];
        $answers = ['spool:status' => 1, 'spool:verify' => 1, 'spool:flush' => 0];

        foreach ($answers as $command => $exit) {
            touch($this->machines->app->path('storage/copy/heartbeat'), time() - 100);
            $told = $this->machines->run('copy', $command);
            self::assertSame($exit, $told->exit, $told->all());
            Sentence::assertNames($paths, $told->all());
            touch($this->machines->app->path('storage/copy/heartbeat'), time() - 100);
            $document = (array) json_decode(
                $this->machines->run('copy', $command, '--json')->out,
                true,
                9,
                JSON_THROW_ON_ERROR,
            );
            self::assertContains(
                "node {$id}",
                array_column((array) ($document['problems'] ?? $document['findings']), 'subject'),
            );
        }

        self::assertSame(0, $this->machines->run('b', 'spool:status')->exit, 'It is another disk.');
    }

    #[Test, Group('day-2')]
    public function a_boot_that_follows_another_one_is_no_second_machine(): void
    {
        $this->machines = new Machines(WorkbenchDatabase::Sqlite);
        $this->machines->node('a', 0);
        $this->machines->connection->table('spool_nodes')->update([
            'machine' => 'before',
            'since' => '2020-01-01 00:00:00',
            'last_seen' => $this->machines->connection->raw("datetime('now', '-60 seconds')"),
        ]);
        $this->machines->beatAgain('a', 0);

        self::assertSame(2, $this->machines->connection->table('spool_nodes')->count());
        $health = $this->machines->run('a', 'spool:health');
        self::assertSame([0, 0], [$health->exit, substr_count($health->out, 'FAIL  node ')], $health->all());
        $all = (array) json_decode(
            $this->machines->run('a', 'spool:status', '--all', '--json')->out,
            true,
            9,
            JSON_THROW_ON_ERROR,
        );
        self::assertCount(1, (array) $all['nodes']);
    }
}
