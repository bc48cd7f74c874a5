<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\HealthCommand;
use Headroom\Core\Finding;
use Headroom\Spool\FileStore\FilesystemProbe;
use Headroom\Spool\Health\DirectoryIsUnusable;
use Headroom\Spool\Health\Health;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * Each thing that health can find, and that what it says to do makes the finding go away. Tests with two users are in
 * UsersTest, tests of migrations in InstallCommandTest.
 */
#[Group('snapshot')]
final class HealthTest extends SpoolTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->spool->add(1);
    }

    #[Test]
    public function a_sound_buffer_is_healthy(): void
    {
        $health = $this->spool->run(HealthCommand::class);

        self::assertSame(0, $health->exit, $health->all());
        self::assertStringContainsString($this->spool->path, $health->out);
        Snapshot::assertPrinted('spool:health', 'a sound buffer', (string) strtok($health->out, "\n"));
        self::assertSame(
            '{"healthy":true,"problems":[]}',
            $this->compact($this->spool->run(HealthCommand::class, ['--json' => true])->out),
        );
    }

    #[Test]
    public function a_store_that_is_none_is_found_and_hides_nothing_else(): void
    {
        $this->spool->buckets['wrong'] = ['sink' => 'database', 'table' => 'api_events', 'store' => 'disk'];
        $this->spool->database()->statement('drop table api_events');

        $problems = $this->spool->problems();
        self::assertSame(['bucket api-events, connection default', 'bucket wrong'], array_column($problems, 'subject'));
        self::assertStringContainsString('api_events', $problems[0]->message);
        self::assertMatchesRegularExpression(
            "/spool\\.buckets\\.wrong\\.store .*'disk'.* file, redis\\./",
            $problems[1]->message,
        );
    }

    #[Test]
    public function a_missing_table_is_found_until_it_is_made(): void
    {
        $this->spool->database()->statement('drop table api_events');
        $problem = $this->problem();

        self::assertSame(['bucket api-events, connection default', true], [$problem->subject, $problem->fatal]);
        self::assertStringContainsString('api_events', $problem->message);
        $health = $this->spool->run(HealthCommand::class);
        self::assertSame(1, $health->exit);
        Snapshot::assertPrinted('spool:health', 'a table is missing', $health->out);

        $this->spool->createEvents('api_events');
        self::assertSame([], $this->spool->problems());
    }

    #[Test]
    public function a_missing_ledger_is_found_until_it_is_made(): void
    {
        $this->spool->database()->statement('drop table spool_ledger');
        self::assertStringContainsString('spool_ledger', $this->problem()->message);

        $this->spool->createLedger();
        self::assertSame([], $this->spool->problems());
    }

    #[Test]
    public function json_has_the_same_words_as_the_text(): void
    {
        $this->spool->database()->statement('drop table spool_ledger');
        $health = $this->spool->run(HealthCommand::class, ['--json' => true]);
        $problem = $this->problem();

        self::assertSame(1, $health->exit);
        self::assertSame(
            [
                'healthy' => false,
                'problems' => [[
                    'subject' => $problem->subject,
                    'message' => $problem->message,
                    'mend' => $problem->fix,
                    'fatal' => true,
                ]],
            ],
            json_decode($health->out, true, flags: JSON_THROW_ON_ERROR),
        );
    }

    #[Test]
    public function a_file_where_the_directory_should_be_is_found(): void
    {
        $this->spool->settings['path'] = $this->spool->file('file');
        file_put_contents($this->spool->file('file'), '');
        self::assertSame([$this->spool->file('file'), true], [$this->problem()->subject, $this->problem()->fatal]);

        rename($this->spool->file('file'), $this->spool->file('elsewhere'));
        self::assertFalse($this->problem()->fatal, 'What does not exist yet is made by the first event.');
    }

    #[Test]
    public function a_directory_that_does_not_exist_yet_is_only_noted(): void
    {
        $this->spool->settings['path'] = $this->spool->file('not/yet');

        self::assertFalse($this->problem()->fatal);
        self::assertSame(0, $this->spool->run(HealthCommand::class)->exit);
        self::assertDirectoryDoesNotExist($this->spool->file('not'));
    }

    #[Test, Group('day-3')]
    #[TestWith(['notes.txt'])]
    #[TestWith(['buckets/notes.txt'])]
    #[TestWith(['buckets/api-events/active/notes.txt'])]
    #[TestWith(['buckets/api-events/sealed/1.seg'])]
    #[TestWith(['buckets/api-events/completed/x.seg.bak'])]
    #[TestWith(['buckets/api-events/quarantine/y'])]
    public function a_foreign_file_is_noted_and_left_alone_until_it_is_moved(string $name): void
    {
        $path = "{$this->spool->path}/{$name}";
        file_put_contents($path, 'mine');
        $problem = $this->problem();

        self::assertSame([$path, false], [$problem->subject, $problem->fatal]);
        self::assertSame(0, $this->spool->run(HealthCommand::class)->exit);
        $this->spool->run(FlushCommand::class);
        self::assertSame('mine', file_get_contents($path));

        unlink($path);
        self::assertSame([], $this->spool->problems());
    }

    #[Test]
    public function an_undeclared_bucket_with_events_is_found_until_it_is_declared(): void
    {
        $this->spool->add(1, 'forgotten');
        $problem = $this->problem();
        self::assertSame(['bucket forgotten', true], [$problem->subject, $problem->fatal]);
        self::assertMatchesRegularExpression("~'forgotten'.*spool\\.buckets~", $problem->fix);
        Snapshot::assertPrinted(
            'spool:health',
            'a bucket is not declared',
            $this->spool->run(HealthCommand::class)->out,
        );

        $this->spool->createEvents('forgotten');
        $this->spool->buckets['forgotten'] = ['sink' => 'database', 'table' => 'forgotten'];
        self::assertSame([], $this->spool->problems());
        $this->spool->run(FlushCommand::class);
        self::assertSame(1, $this->spool->count('forgotten'));
    }

    #[Test]
    public function an_unwritable_output_file_is_found_until_its_directory_is_made(): void
    {
        $this->spool->buckets = ['api-events' => ['sink' => 'file', 'path' => $this->spool->file('out/audit.ndjson')]];
        $problem = $this->problem();
        self::assertSame('bucket api-events, '.$this->spool->file('out/audit.ndjson'), $problem->subject);

        mkdir($this->spool->file('out'));
        self::assertSame([], $this->spool->problems());
    }

    #[Test]
    public function events_that_no_process_flushes_are_found_until_they_are_flushed(): void
    {
        $this->spool->add(1);
        $later = new SteppingClock;
        $later->sleep(361_000_000);
        $problems = (new Health($this->spool->runtime($later)))->findings();

        self::assertCount(1, $problems, print_r($problems, true));
        self::assertTrue($problems[0]->fatal);
        self::assertSame('bucket api-events', $problems[0]->subject);
        self::assertMatchesRegularExpression('/\b6\b/', $problems[0]->message);

        $this->spool->run(FlushCommand::class);
        self::assertSame([], (new Health($this->spool->runtime($later)))->findings());
    }

    #[Test]
    public function a_state_file_without_a_valid_record_is_found(): void
    {
        $this->spool->add(1);
        self::assertSame(0, $this->spool->run(HealthCommand::class)->exit);
        file_put_contents("{$this->spool->path}/buckets/api-events/state", str_repeat('x', 8192));
        $examined = $this->spool->run(HealthCommand::class);

        self::assertSame(1, $examined->exit);
        self::assertSame(1, substr_count($examined->out, 'FAIL'));
        self::assertStringContainsString("{$this->spool->path}/buckets/api-events/state", $examined->out);
        Snapshot::assertPrinted('spool:health', 'the state file is damaged', $examined->out);
    }

    #[Test]
    public function a_wrong_configuration_is_a_finding_and_no_stack_trace(): void
    {
        $this->spool->settings['buckets'] = [
            'Api' => [],
            'api-events' => ['sink' => 'file', 'path' => $this->spool->file('audit.ndjson')],
        ];
        $problem = $this->problem();

        self::assertSame('bucket Api', $problem->subject);
        self::assertStringContainsString('spool.buckets.Api ', $problem->message);
        self::assertStringContainsString('`config:clear`', $problem->fix);
        self::assertSame(1, $this->spool->run(HealthCommand::class)->exit);
    }

    #[Test]
    #[TestWith([['sink' => 'pigeon'], 'sink', "'pigeon'"])]
    #[TestWith([['sink' => 'database'], 'table', 'table'])]
    #[TestWith([['sink' => 'database', 'table' => 'x', 'tabel' => 'y'], 'tabel', 'store, table, connection, mode.'])]
    #[TestWith([['sink' => 'file'], 'path', 'path'])]
    public function a_wrong_sink_is_found_with_its_key(mixed $bucket, string $key, string $named): void
    {
        $this->spool->buckets = ['api-events' => $bucket];
        $problem = $this->problem();

        self::assertStringContainsString("spool.buckets.api-events.{$key} ", $problem->message);
        self::assertStringContainsString($named, $problem->message);
        Snapshot::assertPrinted('spool:health', "the setting {$key} is wrong", $problem->message);
    }

    #[Test]
    public function an_unknown_connection_is_found(): void
    {
        $this->spool->buckets = ['api-events' => [
            'sink' => 'database',
            'table' => 'api_events',
            'connection' => 'elsewhere',
        ]];

        self::assertStringContainsString('connection elsewhere', $this->problem()->subject);
        self::assertTrue($this->problem()->fatal);
    }

    #[Test, Group('day-2')]
    #[TestWith(['nfs4', false])]
    #[TestWith(['cifs', false])]
    #[TestWith(['fuse.sshfs', false])]
    #[TestWith(['ext4', true])]
    #[TestWith(['overlay', true])]
    #[TestWith(['fuseblk', true])]
    public function a_network_filesystem_is_refused_unless_it_is_allowed(string $type, bool $isLocal): void
    {
        $mounts = $this->spool->file('mountinfo');
        file_put_contents(
            $mounts,
            "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n40 22 0:40 / {$this->spool->path} rw shared:1 - {$type} server:/x"
                ." rw\n41 22 0:41 / {$this->spool->path}-other rw - nfs server:/y rw\n",
        );
        $filesystem = new FilesystemProbe($this->spool->path, $mounts);
        $store = $this->spool->runtime()->store();

        $refused = (new DirectoryIsUnusable($store, false, $filesystem))->findings();
        $allowed = (new DirectoryIsUnusable($store, true, $filesystem))->findings();
        self::assertSame($type, $filesystem->type());
        self::assertSame($isLocal ? [] : [true], array_column($refused, 'fatal'));
        self::assertSame($isLocal ? [] : [false], array_column($allowed, 'fatal'));

        if (! $isLocal) {
            self::assertStringContainsString($type, $refused[0]->message);
        }
    }

    #[Test]
    public function a_filesystem_whose_locks_other_processes_do_not_see_is_refused(): void
    {
        self::assertNull((new FilesystemProbe($this->spool->path))->lockFailure());

        // The second process gets another file of that name, as on a filesystem that keeps locks to each machine.
        $php = [
            PHP_BINARY,
            '-n',
            '-r',
            'echo flock(fopen($argv[1].".elsewhere", "a"), LOCK_EX | LOCK_NB) ? "free" : "busy";'
                .' unlink($argv[1].".elsewhere");',
            '--',
        ];
        $blind = new FilesystemProbe($this->spool->path, secondProcess: $php);
        $failure = $blind->lockFailure();
        self::assertNotNull($failure);
        Snapshot::assertPrinted('spool:health', 'locks are seen by one process only', $failure);

        $problems = (new DirectoryIsUnusable($this->spool->runtime()->store(), false, $blind))->findings();
        self::assertStringContainsString($failure, $problems[0]->message);
        self::assertTrue($problems[0]->fatal);
        self::assertSame([], glob("{$this->spool->path}/probe.*"), 'The probe leaves nothing.');
    }

    #[Test]
    public function a_second_process_that_cannot_try_is_told_from_one_that_locks(): void
    {
        $untried = (new FilesystemProbe($this->spool->path, secondProcess: ['/bin/echo']))->lockFailure();
        $uncreated = (new FilesystemProbe('/proc'))->lockFailure();
        Snapshot::assertPrinted('spool:health', 'a second process cannot try', (string) $untried);
        Snapshot::assertPrinted(
            'spool:health',
            'no file can be created there',
            (string) strtok((string) $uncreated, ':'),
        );
        self::assertNotSame($untried, $uncreated);
    }

    private function problem(): Finding
    {
        $problems = $this->spool->problems();
        self::assertCount(1, $problems, print_r($problems, true));

        return $problems[0];
    }

    private function compact(string $json): string
    {
        return json_encode(json_decode($json, flags: JSON_THROW_ON_ERROR), JSON_THROW_ON_ERROR);
    }
}
