<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Spool\AdoptCommand;
use Headroom\Core\SystemClock;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\FilesystemProbe;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\Recovery\ForeignBufferCheck;
use Headroom\Spool\Recovery\UnableToAdopt;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use Symfony\Component\Console\Tester\CommandTester;

/**
 * The refusals, questions and messages of spool:adopt. Fault\AdoptionTest tests that it loses and doubles nothing.
 */
#[Group('snapshot')]
final class AdoptCommandTest extends SpoolTestCase
{
    private string $dead;

    protected function setUp(): void
    {
        parent::setUp();
        $this->spool->add(3);
        $this->dead = $this->spool->file('dead');
        rename($this->spool->path, $this->dead);
        $this->spool->add(2);
    }

    #[Test]
    public function a_dry_run_says_what_would_be_delivered_and_delivers_nothing(): void
    {
        $node = (string) file_get_contents("{$this->dead}/node");
        $before = $this->tree();
        $adopted = $this->adopt(['--dry-run' => true]);

        self::assertSame(0, $adopted->exit);
        self::assertStringContainsString($node, $adopted->out);
        self::assertSame([3, 0, 0, 0, 3, 0], $adopted->numbers());
        Snapshot::assertPrinted('spool:adopt', 'a dry run', $adopted->out);
        self::assertSame([0, $before], [$this->spool->count(), $this->tree()]);
    }

    #[Test]
    public function it_delivers_under_the_dead_machine_s_id_and_leaves_the_own_buffer_alone(): void
    {
        $node = (string) file_get_contents("{$this->dead}/node");
        $adopted = $this->adopt(['--force' => true]);

        self::assertSame([0, 3], [$adopted->exit, $this->spool->count()], $adopted->all());
        self::assertSame([3, 1, 3, 3, 0, 0, 0, 0], $adopted->numbers());
        Snapshot::assertPrinted('spool:adopt', 'everything is delivered', $adopted->out);
        self::assertSame([$node], $this->spool->database()->table('spool_ledger')->pluck('source')->all());
        self::assertCount(1, (array) glob("{$this->spool->path}/buckets/api-events/active/*.log"));

        self::assertSame(0, $this->adopt(['--force' => true])->exit);
        self::assertSame(3, $this->spool->count());
    }

    #[Test]
    public function an_undeclared_bucket_is_left_and_said(): void
    {
        rename($this->spool->path, $this->spool->file('mine'));
        rename($this->dead, $this->spool->path);
        $this->spool->add(4, 'forgotten');
        rename($this->spool->path, $this->dead);
        rename($this->spool->file('mine'), $this->spool->path);
        $adopted = $this->adopt(['--force' => true]);

        self::assertSame([1, 3], [$adopted->exit, $this->spool->count()]);
        self::assertSame(['api-events' => 0, 'forgotten' => 4], $this->pending());
        self::assertMatchesRegularExpression('~^forgotten: .*spool\.buckets~m', $adopted->out);
        Snapshot::assertPrinted('spool:adopt', 'a bucket is not declared', $adopted->out);
        self::assertSame(0, $this->adopt(['--force' => true, 'bucket' => 'api-events'])->exit);
        self::assertSame(2, $this->adopt(['--force' => true, 'bucket' => 'other'])->exit);
    }

    #[Test]
    public function a_bucket_without_a_sink_is_left_as_it_was_and_said(): void
    {
        $declared = $this->spool->buckets;
        $this->spool->buckets = ['api-events' => []];
        $adopted = $this->adopt(['--force' => true]);

        self::assertSame(1, $adopted->exit);
        self::assertSame(['api-events' => 3], $this->pending());
        Snapshot::assertPrinted('spool:adopt', 'a bucket has no sink', $adopted->out);
        $this->spool->buckets = $declared;
        self::assertSame(0, $this->adopt(['--force' => true])->exit);
        self::assertSame(3, $this->spool->count());
    }

    #[Test]
    public function a_failed_delivery_is_left_and_exits_with_1(): void
    {
        $this->spool->database()->statement('alter table api_events rename to elsewhere');
        $adopted = $this->adopt(['--force' => true]);

        self::assertSame(1, $adopted->exit);
        self::assertStringContainsString('no such table: api_events', $adopted->err);
        self::assertSame(['api-events' => 3], $this->pending());

        $this->spool->database()->statement('alter table elsewhere rename to api_events');
        self::assertSame([0, 3], [$this->adopt(['--force' => true])->exit, $this->spool->count()]);
    }

    #[Test]
    public function the_own_buffer_is_refused_under_any_name(): void
    {
        symlink($this->spool->path, $this->spool->file('link'));

        foreach ([
            $this->spool->path,
            "{$this->spool->path}/",
            $this->spool->file('link'),
            $this->spool->file('dead/../buffer'),
        ] as $name) {
            $refused = $this->adopt(['directory' => $name, '--force' => true]);
            self::assertSame(1, $refused->exit, $name);
            self::assertStringContainsString("({$this->spool->path})", $refused->err);
            self::assertStringContainsString('spool:flush', $refused->err);
        }
    }

    #[Test]
    public function a_copy_of_the_own_buffer_is_refused_as_a_clone(): void
    {
        file_put_contents("{$this->dead}/node", (string) file_get_contents("{$this->spool->path}/node"));
        $refused = $this->adopt(['--force' => true]);

        self::assertSame([1, 0], [$refused->exit, $this->spool->count()]);
        Snapshot::assertPrinted('spool:adopt', 'a clone', $refused->err);
    }

    #[Test]
    #[TestWith(['', 2])]
    #[TestWith(['/', 2])]
    #[TestWith(['/nowhere/at/all', 1])]
    public function a_path_that_is_no_directory_is_refused(string $directory, int $exit): void
    {
        self::assertSame($exit, $this->adopt(['directory' => $directory, '--force' => true])->exit);
    }

    #[Test]
    public function a_directory_without_a_node_file_is_refused_and_gets_none(): void
    {
        rename("{$this->dead}/node", $this->spool->file('node'));
        $refused = $this->adopt(['--force' => true]);

        self::assertSame(1, $refused->exit);
        self::assertStringContainsString($this->dead, $refused->err);
        self::assertStringContainsString("'node'", $refused->err);
        self::assertFileDoesNotExist("{$this->dead}/node");

        self::assertSame(1, $this->adopt(['directory' => "{$this->dead}/buckets", '--force' => true])->exit);
    }

    #[Test]
    public function a_network_filesystem_is_refused_without_the_override(): void
    {
        $mounts = $this->spool->file('mountinfo');
        file_put_contents($mounts, "1 0 0:1 / / rw - ext4 /dev/a rw\n2 1 0:2 / {$this->dead} rw - nfs4 server:/x rw\n");
        $check = fn (bool $allowed): string => (new ForeignBufferCheck(
            $this->store($this->spool->path),
            $this->store($this->dead),
            $allowed,
            new FilesystemProbe($this->dead, $mounts),
        ))->check();
        self::assertSame(file_get_contents("{$this->dead}/node"), $check(true));

        $this->expectException(UnableToAdopt::class);
        $this->expectExceptionMessage('nfs4');
        $check(false);
    }

    #[Test]
    public function it_asks_on_a_terminal_and_takes_only_a_yes(): void
    {
        foreach (['no' => [1, 0], '' => [1, 0], 'yes' => [0, 3]] as $answer => $expected) {
            $tester = new CommandTester(new AdoptCommand($this->spool->runtime()));
            $tester->setInputs([$answer]);
            $exit = $tester->execute(['directory' => $this->dead], ['capture_stderr_separately' => true]);

            self::assertSame($expected, [$exit, $this->spool->count()], "'{$answer}'");

            if ($answer === 'no') {
                Snapshot::assertPrinted(
                    'spool:adopt',
                    'asked, and answered no',
                    $tester->getErrorOutput().$tester->getDisplay(),
                );
            }
        }
    }

    #[Test]
    public function without_a_terminal_it_needs_force(): void
    {
        $tester = new CommandTester(new AdoptCommand($this->spool->runtime()));
        $exit = $tester->execute(
            ['directory' => $this->dead],
            ['interactive' => false, 'capture_stderr_separately' => true],
        );
        self::assertSame([1, 0], [$exit, $this->spool->count()]);
        self::assertStringContainsString('--force', $tester->getErrorOutput());

        $json = $this->adopt(['--json' => true]);
        self::assertSame([1, ['error']], [$json->exit, array_keys((array) json_decode($json->out, true))]);
    }

    #[Test]
    public function json_is_one_document(): void
    {
        $adopted = $this->adopt(['--json' => true, '--force' => true]);
        $document = json_decode($adopted->out, true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($document);

        self::assertSame(['ok', 'dry_run', 'path', 'node', 'buckets'], array_keys($document));
        self::assertSame([0, true, ''], [$adopted->exit, $document['ok'], $adopted->err]);
    }

    /** @return array<array-key, mixed> by bucket, of the dead machine's buffer */
    private function pending(): array
    {
        $document = json_decode(
            $this->adopt(['--json' => true, '--dry-run' => true])->out,
            true,
            flags: JSON_THROW_ON_ERROR,
        );
        self::assertIsArray($document);
        self::assertIsArray($document['buckets']);

        return array_column($document['buckets'], 'pending', 'bucket');
    }

    private function store(string $root): FileStore
    {
        return new FileStore($root, new Permissions, new SystemClock);
    }

    /** @return array<mixed> */
    private function tree(): array
    {
        return [
            (array) glob("{$this->dead}/*"),
            (array) glob("{$this->dead}/buckets/*/*"),
            (array) glob("{$this->dead}/buckets/*/*/*"),
        ];
    }

    /** @param array<string, mixed> $input */
    private function adopt(array $input): Outcome
    {
        return $this->spool->run(AdoptCommand::class, ['directory' => $this->dead, ...$input]);
    }
}
