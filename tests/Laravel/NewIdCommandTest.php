<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use DateTimeImmutable;
use Headroom\Console\Spool\DeadLetters\RetryCommand;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\HealthCommand;
use Headroom\Console\Spool\NewIdCommand;
use Headroom\Console\Spool\StatusCommand;
use Headroom\Console\Spool\VerifyCommand;
use Headroom\Spool\Worker\HeartbeatSender;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * A disk that was set back, as its operator sees it: every command says so until one of two is run.
 */
#[Group('snapshot')]
final class NewIdCommandTest extends SpoolTestCase
{
    #[Test]
    public function every_command_tells_a_fork_until_the_disk_has_another_id(): void
    {
        $copiedAt = $this->fork();
        $node = $this->json(StatusCommand::class)['node'];

        foreach ([
            FlushCommand::class, StatusCommand::class, VerifyCommand::class, HealthCommand::class, NewIdCommand::class,
            FlushCommand::class,
        ] as $command) {
            self::assertSame(1, $this->spool->run($command)->exit, $command);
        }

        self::assertSame(
            ['bucket' => 'api-events', 'forked' => true, 'waiting' => 2, 'elsewhere' => 0, 'last_elsewhere' => null],
            array_slice($this->bucket(), 0, 5),
        );
        Snapshot::assertPrinted(
            'spool:new-id',
            'a disk that was set back',
            $this->spool->run(NewIdCommand::class)->out,
        );
        Snapshot::assertPrinted('spool:status', 'a fork', $this->spool->run(StatusCommand::class)->out);

        $done = $this->spool->run(NewIdCommand::class, ['--copied-at' => $copiedAt]);
        self::assertSame(0, $done->exit);
        Snapshot::assertPrinted('spool:new-id', 'done', $done->out);
        self::assertSame(0, $this->spool->run(FlushCommand::class)->exit);
        self::assertSame(
            ['event-0', 'of the copy', 'other way', 'this way'],
            $this->spool->database()->table('api_events')->orderBy('event')->pluck('event')->all(),
        );

        self::assertNotSame($node, $this->json(StatusCommand::class)['node']);
        self::assertSame([0, 0], [$this->bucket()['waiting'], $this->bucket()['elsewhere']]);

        foreach ([StatusCommand::class, VerifyCommand::class, HealthCommand::class] as $command) {
            self::assertSame(0, $this->spool->run($command)->exit, $command);
        }
    }

    #[Test]
    public function it_is_told_how_much_is_left_to_the_other_copy_or_nothing_is(): void
    {
        $this->fork();

        self::assertSame(
            2,
            $this->spool->run(NewIdCommand::class, ['--copied-at' => '2026-01-31', '--all' => true])->exit,
        );

        foreach ([
            'when it was', '2026-01-31 14:00', 'yesterday', '+1 minute', gmdate('Y-m-d\TH:i:s\Z', time() + 3600),
        ] as $noMoment) {
            self::assertSame(2, $this->spool->run(NewIdCommand::class, ['--copied-at' => $noMoment])->exit, $noMoment);
        }

        self::assertSame(1, $this->spool->run(FlushCommand::class)->exit);
        self::assertSame(0, $this->spool->run(NewIdCommand::class, ['--all' => true])->exit);
        self::assertSame(0, $this->spool->run(FlushCommand::class)->exit);
        self::assertSame(5, $this->spool->database()->table('api_events')->count());
    }

    #[Test]
    public function what_is_left_to_the_other_copy_is_kept_as_dead_letters(): void
    {
        $this->fork();
        self::assertSame(0, $this->spool->run(NewIdCommand::class, ['--copied-at' => '-0 seconds'])->exit);
        self::assertSame(0, $this->spool->run(FlushCommand::class)->exit);
        self::assertSame(3, $this->spool->database()->table('api_events')->count());

        // It was given too much: nothing of it is lost.
        self::assertSame(0, $this->spool->run(RetryCommand::class, ['--bucket' => 'api-events'])->exit);
        self::assertSame(0, $this->spool->run(FlushCommand::class)->exit);
        self::assertSame(1, $this->spool->database()->table('api_events')->where('event', 'this way')->count());
        self::assertSame(0, $this->spool->run(StatusCommand::class)->exit);
        self::assertSame(0, $this->spool->run(VerifyCommand::class)->exit);
    }

    #[Test]
    public function a_bucket_without_a_sink_keeps_what_it_has(): void
    {
        $copiedAt = $this->fork();
        $this->append(['event' => 'kept'], 'undeclared');
        self::assertSame(0, $this->spool->run(NewIdCommand::class, ['--copied-at' => '-0 seconds'])->exit);
        self::assertSame(
            ['api-events' => 0, 'undeclared' => 1],
            array_column((array) $this->json(StatusCommand::class)['buckets'], 'pending', 'bucket')
                + ['api-events' => 0],
        );
    }

    #[Test]
    public function the_heartbeat_of_the_old_id_is_forgotten(): void
    {
        $this->spool->createNodes();
        $this->fork();
        $old = $this->json(StatusCommand::class)['node'];
        (new HeartbeatSender($this->spool->runtime()))->beat();
        $nodes = $this->spool->database()->table('spool_nodes');
        self::assertSame(1, $nodes->clone()->where('node', $old)->count());
        self::assertSame(0, $this->spool->run(NewIdCommand::class, ['--all' => true])->exit);
        self::assertSame(0, $nodes->clone()->where('node', $old)->count());
    }

    #[Test]
    public function an_image_with_a_known_id_is_healthy_before_its_first_event(): void
    {
        $this->spool->add(1);
        $this->spool->run(FlushCommand::class);
        (new Process(['rm', '-r', "{$this->spool->path}/buckets"]))->mustRun();

        foreach ([StatusCommand::class, HealthCommand::class, VerifyCommand::class, FlushCommand::class] as $command) {
            self::assertSame(0, $this->spool->run($command)->exit, $command);
        }

        $this->spool->add(1);
        self::assertSame(0, $this->spool->run(FlushCommand::class)->exit);
        self::assertSame(2, $this->spool->database()->table('api_events')->count());
    }

    #[Test]
    public function a_bucket_that_did_not_fork_is_flushed_first(): void
    {
        $this->spool->add(1);

        self::assertSame(1, $this->spool->run(NewIdCommand::class, ['--all' => true])->exit);
        self::assertSame(0, $this->spool->run(FlushCommand::class)->exit);
        self::assertSame(0, $this->spool->run(NewIdCommand::class, ['--all' => true])->exit);
        $this->spool->add(1);
        self::assertSame(0, $this->spool->run(FlushCommand::class)->exit);
        self::assertSame(2, $this->spool->database()->table('api_events')->count());
    }

    /** @return string when the copy was made */
    private function fork(): string
    {
        $this->spool->add(1);
        $this->spool->run(FlushCommand::class);
        $this->append(['event' => 'of the copy']);
        (new Process(['cp', '-a', $this->spool->path, "{$this->spool->path}.copy"]))->mustRun();
        $copiedAt = (new DateTimeImmutable)->format('Y-m-d\TH:i:s.uP');
        $this->append(['event' => 'other way']);
        $this->spool->run(FlushCommand::class);
        (new Process(['rm', '-r', $this->spool->path]))->mustRun();
        (new Process(['mv', "{$this->spool->path}.copy", $this->spool->path]))->mustRun();
        $this->append(['event' => 'this way']);

        return $copiedAt;
    }

    /** @param array<string, mixed> $row */
    private function append(array $row, string $bucket = 'api-events'): void
    {
        $this->spool->runtime()->buffer()->bucket($bucket)->add($row);
    }

    /** @return array<mixed> */
    private function bucket(): array
    {
        return (array) ((array) $this->json(NewIdCommand::class)['buckets'])[0];
    }

    /**
     * @param class-string<NewIdCommand|StatusCommand> $command
     * @return array<mixed>
     */
    private function json(string $command): array
    {
        return (array) json_decode(
            $this->spool->run($command, ['--json' => true])->out,
            true,
            flags: JSON_THROW_ON_ERROR,
        );
    }
}
